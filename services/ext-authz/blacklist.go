package main

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// keyPrefix stands before a token's id in Redis, as the published service had it.
const keyPrefix = "blacklist:"

// lookupCause is why Redis could not be asked: the label "cause" of ext_authz_errors_total{type="redis"}.
type lookupCause string

const (
	// poolTimeout: every connection was in use for as long as a look-up waits for one.
	poolTimeout lookupCause = "pool_timeout"
	// cancelled: the gateway gave up first. A look-up that has been sent is not taken back, so this one was waiting for a
	// connection: behind a gateway whose patience is shorter than the pool's, a pool too small shows here. So does a Redis
	// to which no new one can be opened in that time.
	cancelled lookupCause = "cancelled"
	// late: the gateway had given up before the look-up began, so that none was made: the service is short of CPU, not of
	// connections.
	late lookupCause = "late"
	// timeout: Redis did not answer within the read timeout.
	timeout lookupCause = "timeout"
	// unreachable: no connection could be made.
	unreachable lookupCause = "unreachable"
	// broken: a connection ended under way.
	broken lookupCause = "broken"
	// refused: Redis answered with an error, such as a wrong password or that it is still loading.
	refused lookupCause = "refused"
)

var lookupCauses = []lookupCause{poolTimeout, cancelled, late, timeout, unreachable, broken, refused}

// redisRules say how Redis is asked. Each is go-redis's own default of the published version, see settings.go.
type redisRules struct {
	address     *redis.Options // where, and as whom
	poolSize    int
	poolTimeout time.Duration
	readTimeout time.Duration
	retries     int
}

// blacklist holds the tokens that were taken back before their time, in Redis.
type blacklist struct{ client *redis.Client }

func newBlacklist(rules redisRules) blacklist {
	logging.Disable() // It writes a line for each failure, beside those that are counted.
	options := *rules.address
	options.PoolSize = rules.poolSize
	options.PoolTimeout = rules.poolTimeout
	options.ReadTimeout = rules.readTimeout
	options.WriteTimeout = rules.readTimeout
	options.MaxRetries = noneOr(rules.retries)
	options.DialerRetries = 1 // A Redis that is down is told at once: look-ups have retries of their own.
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return blacklist{client: redis.NewClient(&options)}
}

// noneOr says "none" as go-redis wants it: its 0 is "the default".
func noneOr(retries int) int {
	if retries == 0 {
		return -1
	}
	return retries
}

// has asks Redis whether a token's id is on the list.
func (b blacklist) has(ctx context.Context, id string) (bool, error) {
	found, err := b.client.Exists(ctx, keyPrefix+id).Result()
	return found > 0, err
}

func (b blacklist) close() { _ = b.client.Close() }

// lookupCauseOf sorts errors. Dialling comes first, because what ran out of time there is a cancelled context too.
func lookupCauseOf(err error) lookupCause {
	var dial *net.OpError
	var network net.Error
	var answer redis.Error
	switch {
	case errors.Is(err, redis.ErrPoolTimeout):
		return poolTimeout
	case errors.As(err, &dial) && dial.Op == "dial":
		return unreachable
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return cancelled
	case errors.As(err, &network) && network.Timeout():
		return timeout
	case errors.As(err, &answer):
		return refused
	}
	return broken
}
