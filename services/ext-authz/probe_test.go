package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func probeOf(t *testing.T, redis *redisServer, args ...string) probed {
	t.Helper()
	code, stdout, stderr := run(t, append([]string{"probe-redis"}, args...), map[string]string{"AUTH_REDIS_URL": redis.url()})
	if code != 0 || strings.Count(stdout, "\n") != 1 {
		t.Fatalf("%d, %q, %q", code, stdout, stderr)
	}
	var seen probed
	if err := json.Unmarshal([]byte(stdout), &seen); err != nil {
		t.Fatal(err)
	}
	return seen
}

func TestAProbeLooksUpAtItsRateAndPrintsOneLineOfJSON(t *testing.T) {
	redis := startRedis(t)
	seen := probeOf(t, redis, "--rate", "50", "--duration", "600ms")
	if seen.Lookups != 30 || seen.Errors != 0 || seen.RatePerS != 50 || seen.DurationS < 0.55 {
		t.Errorf("%+v", seen)
	}
	if !(0 < seen.MinMs && seen.MinMs <= seen.MeanMs && seen.MeanMs <= seen.MaxMs && seen.P99Ms == seen.MaxMs) {
		t.Errorf("%+v", seen)
	}
}

func TestAProbeSeesThatRedisWasSlowAndThatItAskedLessThanItShould(t *testing.T) {
	redis := startRedis(t)
	redis.pause(t, 10*time.Millisecond) // So that the next pause is the one that counts.
	done := make(chan probed, 1)
	go func() { done <- probeOf(t, redis, "--rate", "50", "--duration", "900ms") }()
	time.Sleep(300 * time.Millisecond)
	redis.pause(t, 300*time.Millisecond)
	if seen := <-done; seen.MaxMs < 250 || seen.Late < 5 || seen.MinMs > 100 {
		t.Errorf("%+v", seen)
	}
}

func TestTheP99OfAProbeIsTheNearestRank(t *testing.T) {
	var seen probed
	tookMs := make([]float64, 200)
	for i := range tookMs {
		tookMs[i] = float64(200 - i)
	}
	seen.summarise(tookMs)
	if seen.MinMs != 1 || seen.P99Ms != 198 || seen.MaxMs != 200 || seen.MeanMs < 100.4999 || seen.MeanMs > 100.5001 {
		t.Errorf("%+v", seen)
	}
}

func TestAProbeWithoutRedisIsOneLine(t *testing.T) {
	redis := startRedis(t)
	redis.stop()
	code, stdout, stderr := run(t, []string{"probe-redis"}, map[string]string{"AUTH_REDIS_URL": redis.url()})
	if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "redis-unreachable: dial unix ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("%d, %q, %q", code, stdout, stderr)
	}
}

func TestAProbeThatLosesRedisCountsWhatItCouldNotAsk(t *testing.T) {
	redis := startRedis(t)
	done := make(chan probed, 1)
	go func() { done <- probeOf(t, redis, "--rate", "50", "--duration", "600ms") }()
	time.Sleep(300 * time.Millisecond)
	redis.stop()
	if seen := <-done; seen.Lookups != 30 || seen.Errors < 5 || seen.Errors > 25 || seen.MinMs <= 0 {
		t.Errorf("%+v", seen)
	}
}

func TestAProbeThatIsNeverAnsweredHasNoFigures(t *testing.T) {
	redis := startRedis(t)
	if err := redis.control.Do(t.Context(), "ACL", "SETUSER", "default", "-exists").Err(); err != nil {
		t.Fatal(err)
	}
	environment := map[string]string{"AUTH_REDIS_URL": redis.url()}
	code, stdout, stderr := run(t, []string{"probe-redis", "--rate", "50", "--duration", "60ms"}, environment)
	if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "no-lookups: none of 3 look-ups was answered (the last: NOPERM ") {
		t.Errorf("%d, %q, %q", code, stdout, stderr)
	}
}

func TestAProbeTakesARateAndADurationAndNothingElse(t *testing.T) {
	for _, args := range [][]string{{"--rate", "0"}, {"--rate", "1e-10"}, {"--rate", "1001"}, {"--rate", "NaN"}, {"--rate", "0.1", "--duration", "5s"}, {"--duration", "-1s"}, {"fast"}, {"--users", "3"}} {
		code, stdout, stderr := run(t, append([]string{"probe-redis"}, args...), nil)
		if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "invalid-option: probe-redis takes --rate") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: %d, %q", args, code, stderr)
		}
	}
}
