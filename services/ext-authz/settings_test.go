package main

import (
	"maps"
	"strings"
	"testing"
	"time"

	"gatebench.invalid/services/internal/settings"
)

func read(environment map[string]string) (config, []string) {
	reader := settings.From(lookup(environment))
	c := readConfig(reader)
	return c, reader.Faults()
}

func TestWithoutSettingsItIsAsPublished(t *testing.T) {
	c, faults := read(map[string]string{"AUTH_SECRET_KEY": testKey})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if c.grpcPort != 50051 || c.metricsPort != 9090 || c.token.clockSkew != 5*time.Second {
		t.Errorf("%+v", c)
	}
	if r := c.redis; r.poolSize != 20 || r.poolTimeout != 4*time.Second || r.readTimeout != 3*time.Second || r.retries != 3 {
		t.Errorf("%+v", r)
	}
	if c.redis.address.Addr != "localhost:6379" || c.redis.address.DB != 0 {
		t.Errorf("%+v", c.redis.address)
	}
}

func TestEachFaultIsOneLineThatSaysWhatIsPossible(t *testing.T) {
	const aPort = "It takes a whole number from 1 to 65535. Correct it, or leave it out for 50051."
	cases := map[string]struct {
		environment map[string]string
		line        string
	}{
		"no key": {map[string]string{"AUTH_SECRET_KEY": ""},
			"missing-setting: AUTH_SECRET_KEY is not set. It takes a text of at least 32 bytes. Set it."},
		"a key too short": {map[string]string{"AUTH_SECRET_KEY": "hush"},
			"invalid-setting: AUTH_SECRET_KEY is something else (4 bytes, not repeated here). It takes a text of at least 32 bytes. Correct it."},
		"a port that is none": {map[string]string{"AUTH_GRPC_PORT": "http"}, `invalid-setting: AUTH_GRPC_PORT is "http". ` + aPort},
		"a port too high":     {map[string]string{"AUTH_GRPC_PORT": "65536"}, `invalid-setting: AUTH_GRPC_PORT is "65536". ` + aPort},
		"what Kubernetes sets for a Service": {map[string]string{"AUTH_GRPC_PORT": "tcp://10.0.0.1:50051"},
			`invalid-setting: AUTH_GRPC_PORT is "tcp://10.0.0.1:50051". ` + aPort},
		"one port for both": {map[string]string{"AUTH_METRICS_PORT": "50051"},
			"invalid-setting: AUTH_GRPC_PORT and AUTH_METRICS_PORT are both 50051. Give each a port of its own."},
		"a host's name to listen on": {map[string]string{"AUTH_BIND": "localhost"},
			`invalid-setting: AUTH_BIND is "localhost". It takes an IP address. Correct it.`},
		"an address of Redis that is none": {map[string]string{"AUTH_REDIS_URL": "redis://:hush@host:port"},
			"invalid-setting: AUTH_REDIS_URL is something else (23 bytes, not repeated here). It takes redis://USER:PASSWORD@HOST:PORT/DATABASE, " +
				"rediss://… over TLS, or unix:///PATH. Correct it, or leave it out for redis://localhost:6379/0."},
		"no pool": {map[string]string{"AUTH_REDIS_POOL_SIZE": "0"},
			`invalid-setting: AUTH_REDIS_POOL_SIZE is "0". It takes a whole number from 1 to 10000. Correct it, or leave it out for 20.`},
		"a time without a unit": {map[string]string{"AUTH_REDIS_POOL_TIMEOUT": "250"},
			`invalid-setting: AUTH_REDIS_POOL_TIMEOUT is "250". It takes a time with its unit, such as "250ms", from 1ms to 1m0s. Correct it, or leave it out for 4s.`},
		"a time below none": {map[string]string{"AUTH_REDIS_READ_TIMEOUT": "-1s"},
			`invalid-setting: AUTH_REDIS_READ_TIMEOUT is "-1s". It takes a time with its unit, such as "250ms", from 1ms to 1m0s. Correct it, or leave it out for 3s.`},
		"a status that lets requests pass": {map[string]string{"AUTH_REDIS_ERROR_STATUS": "200"},
			`invalid-setting: AUTH_REDIS_ERROR_STATUS is "200". It takes 403, 500 or 503. Correct it, or leave it out for 503.`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			environment := map[string]string{"AUTH_SECRET_KEY": testKey}
			maps.Copy(environment, c.environment)
			if _, faults := read(environment); len(faults) != 1 || faults[0] != c.line {
				t.Errorf("%q", faults)
			}
		})
	}
}

func TestAllFaultsAreToldTogether(t *testing.T) {
	_, faults := read(map[string]string{"AUTH_REDIS_POOL_SIZE": "many", "AUTH_CLOCK_SKEW": "5"})
	if text := strings.Join(faults, "\n"); len(faults) != 3 {
		t.Error(text)
	}
}

func TestAnAddressOfRedisMayBeAnyOfThose(t *testing.T) {
	for _, url := range []string{"redis://redis.auth:6379/3", "rediss://user:pass@redis:6380", "unix:///run/redis.sock"} {
		if _, faults := read(map[string]string{"AUTH_SECRET_KEY": testKey, "AUTH_REDIS_URL": url}); len(faults) > 0 {
			t.Errorf("%s: %v", url, faults)
		}
	}
}

func TestTheAddressOfRedisDoesNotOverruleTheSettings(t *testing.T) {
	c, _ := read(map[string]string{"AUTH_SECRET_KEY": testKey, "AUTH_REDIS_URL": "redis://redis:6379/0?pool_size=99&max_retries=9"})
	list := newBlacklist(c.redis)
	defer list.close()
	if options := list.client.Options(); options.PoolSize != 20 || options.MaxRetries != 3 {
		t.Errorf("%d connections, %d retries", options.PoolSize, options.MaxRetries)
	}
}
