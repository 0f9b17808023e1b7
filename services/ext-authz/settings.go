package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"gatebench.invalid/services/internal/settings"
)

// config is everything the service is told.
type config struct {
	bind             string
	grpcPort         int
	metricsPort      int
	token            tokenRules
	redis            redisRules
	redisErrorStatus int
	stopTimeout      time.Duration
}

// Defaults are the published service's where it had the setting, or what its libraries did where it had none. It was
// eco2-team/backend, domains/ext-authz, as of 2025-12-14, with go-redis 9.17 on two CPUs.
func readConfig(r *settings.Reader) config {
	c := config{
		bind:        r.Address("AUTH_BIND"),
		grpcPort:    r.Port("AUTH_GRPC_PORT", 50051, "port of the authorization API and of gRPC's health service"),
		metricsPort: r.Port("AUTH_METRICS_PORT", 9090, "port of /metrics and /healthz, over HTTP"),
		token:       readTokenRules(r),
		redis:       readRedisRules(r),
		redisErrorStatus: oneOf(r, "AUTH_REDIS_ERROR_STATUS", 503, []int{403, 500, 503},
			"status of the answer when Redis cannot be asked; the published service answered 500"),
		stopTimeout: r.Duration("AUTH_STOP_TIMEOUT", 10*time.Second, 0, time.Minute,
			"how long requests under way may take after SIGTERM"),
	}
	if c.grpcPort == c.metricsPort {
		r.Fault("invalid-setting: AUTH_GRPC_PORT and AUTH_METRICS_PORT are both %d. Give each a port of its own.", c.grpcPort)
	}
	return c
}

func readTokenRules(r *settings.Reader) tokenRules {
	return tokenRules{
		key:      readKey(r),
		issuer:   r.Text("AUTH_ISSUER", "", "the issuer (iss) a token must name; without it, any or none"),
		audience: r.Text("AUTH_AUDIENCE", "", "the audience (aud) a token must be for; without it, any or none"),
		clockSkew: r.Duration("AUTH_CLOCK_SKEW", 5*time.Second, 0, 5*time.Minute,
			"by how much a token may be older than its exp or younger than its nbf"),
		maxBytes: r.Whole("AUTH_TOKEN_MAX_BYTES", 8192, 64, 1<<20, "longer tokens are refused unread"),
	}
}

// shortestKey is RFC 7518's, 3.2: a key of HS256 has at least the size of its hash.
const shortestKey = 32

func readKey(r *settings.Reader) []byte {
	s := settings.Setting{
		Name: "AUTH_SECRET_KEY", Required: true, Secret: true,
		Possible: "a text of at least 32 bytes",
		Meaning:  "the key that tokens are signed with (HMAC-SHA256)",
	}
	return settings.Read(r, s, func(text string) ([]byte, bool) { return []byte(text), len(text) >= shortestKey })
}

func readRedisRules(r *settings.Reader) redisRules {
	return redisRules{
		address:  readRedisAddress(r),
		poolSize: r.Whole("AUTH_REDIS_POOL_SIZE", 20, 1, 10_000, "connections to Redis, and so look-ups at once"),
		poolTimeout: r.Duration("AUTH_REDIS_POOL_TIMEOUT", 4*time.Second, time.Millisecond, time.Minute,
			"how long a look-up waits for a connection"),
		readTimeout: readRedisTimeout(r),
		retries:     r.Whole("AUTH_REDIS_RETRIES", 3, 0, 10, "how often a look-up that failed is tried again, waits for a connection included"),
	}
}

func readRedisTimeout(r *settings.Reader) time.Duration {
	return r.Duration("AUTH_REDIS_READ_TIMEOUT", 3*time.Second, time.Millisecond, time.Minute,
		"how long Redis may take to answer, and to be written to")
}

// readRedisAddress keeps the library's own error to itself: it repeats the URL, and a password may be in it.
func readRedisAddress(r *settings.Reader) *redis.Options {
	s := settings.Setting{
		Name: "AUTH_REDIS_URL", Default: "redis://localhost:6379/0", Secret: true,
		Possible: "redis://USER:PASSWORD@HOST:PORT/DATABASE, rediss://… over TLS, or unix:///PATH",
		Meaning:  "where the blacklist is",
	}
	return settings.Read(r, s, func(text string) (*redis.Options, bool) {
		options, err := redis.ParseURL(text)
		return options, err == nil
	})
}

func oneOf(r *settings.Reader, name string, otherwise int, possible []int, meaning string) int {
	s := settings.Setting{Name: name, Default: strconv.Itoa(otherwise), Possible: listed(possible), Meaning: meaning}
	return settings.Read(r, s, func(text string) (int, bool) {
		number, err := strconv.Atoi(text)
		return number, err == nil && slices.Contains(possible, number)
	})
}

func listed(numbers []int) string {
	words := make([]string, len(numbers))
	for i, number := range numbers {
		words[i] = strconv.Itoa(number)
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
