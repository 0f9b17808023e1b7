package main

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

func TestAPoolTooSmallShowsAsPoolTimeouts(t *testing.T) {
	redis := startRedis(t)
	service := startService(t, map[string]string{
		"AUTH_REDIS_URL": redis.url(), "AUTH_REDIS_POOL_SIZE": "2", "AUTH_REDIS_POOL_TIMEOUT": "50ms",
	})
	statuses := statusesDuring(t, service, redis, 10, 600*time.Millisecond)
	if statuses[200] != 2 || statuses[503] != 8 {
		t.Errorf("%v", statuses)
	}
	service.expect(map[string]float64{
		errorsOf("redis", "pool_timeout"):       8,
		errorsOf("redis", "timeout"):            0,
		requestsOf("deny", "redis_error"):       8,
		"ext_authz_redis_pool_timeouts_total":   8,
		"ext_authz_redis_pool_size":             2,
		"ext_authz_redis_pool_connections":      2,
		"ext_authz_redis_pool_idle_connections": 2,
	})
}

func TestAPoolLargeEnoughHasNone(t *testing.T) {
	redis := startRedis(t)
	service := startService(t, map[string]string{
		"AUTH_REDIS_URL": redis.url(), "AUTH_REDIS_POOL_SIZE": "10", "AUTH_REDIS_POOL_TIMEOUT": "50ms",
	})
	if statuses := statusesDuring(t, service, redis, 10, 300*time.Millisecond); statuses[200] != 10 {
		t.Errorf("%v", statuses)
	}
	service.expect(map[string]float64{errorsOf("redis", "pool_timeout"): 0, "ext_authz_redis_pool_timeouts_total": 0})
}

func TestAPatientPoolTooSmallShowsAsWaiting(t *testing.T) {
	redis := startRedis(t)
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url(), "AUTH_REDIS_POOL_SIZE": "1"})
	if statuses := statusesDuring(t, service, redis, 5, 600*time.Millisecond); statuses[200] != 5 {
		t.Errorf("%v", statuses)
	}
	service.expect(map[string]float64{"ext_authz_redis_pool_waits_total": 4, "ext_authz_redis_pool_connections": 1})
	if waited := service.figures()["ext_authz_redis_pool_wait_seconds_total"]; waited < 0.5 || waited > 4 {
		t.Errorf("four look-ups waited %v s for one that took 300 ms", waited)
	}
}

// statusesDuring sends so many requests at once to a Redis that answers none of them for a while.
func statusesDuring(t *testing.T, service *rig, redis *redisServer, clients int, pause time.Duration) map[int]int {
	t.Helper()
	valid := with(signed(t, jwt.MapClaims{"jti": "a"}))
	if status := service.status(valid); status != 200 {
		t.Fatalf("before the pause: %d", status)
	}
	before := service.figures()["ext_authz_redis_pool_connections"]
	if before != 1 {
		t.Fatalf("%v connections before the pause", before)
	}
	redis.pause(t, pause)
	statuses := map[int]int{}
	var guard sync.Mutex
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			status := service.status(valid)
			guard.Lock()
			defer guard.Unlock()
			statuses[status]++
		})
	}
	all.Wait()
	return statuses
}

func TestRedisDownIsRefusedCountedAndOverWhenItIsBack(t *testing.T) {
	redis := startRedis(t)
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url()})
	valid := with(signed(t, jwt.MapClaims{"jti": "a"}))
	if status := service.status(valid); status != 200 {
		t.Fatal(status)
	}
	redis.stop()
	for range 3 {
		if status := service.status(valid); status != 503 {
			t.Errorf("%d while Redis is down", status)
		}
	}
	figures := service.figures()
	if figures[requestsOf("deny", "redis_error")] != 3 || figures[errorsOf("redis", "unreachable")] < 2 {
		t.Errorf("%v refused, %v unreachable", figures[requestsOf("deny", "redis_error")], figures[errorsOf("redis", "unreachable")])
	}
	redis.start(t)
	eventually(t, "requests pass again", func() bool { return service.status(valid) == 200 })
}

func TestAServiceThatStartsBeforeRedisIsReadyWhenRedisIs(t *testing.T) {
	redis := startRedis(t)
	redis.stop()
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url()})
	valid := with(signed(t, jwt.MapClaims{"jti": "a"}))
	if status := service.status(valid); status != 503 {
		t.Errorf("%d before Redis", status)
	}
	redis.start(t)
	eventually(t, "requests pass", func() bool { return service.status(valid) == 200 })
}

// Of five tries one must be quick: the machine may be busy. go-redis by itself never is, it dials five times in 400 ms.
func TestRedisDownIsToldAtOnce(t *testing.T) {
	redis := startRedis(t)
	redis.stop()
	valid := with(signed(t, jwt.MapClaims{"jti": "a"}))
	for range 5 {
		service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url()})
		started := time.Now()
		service.status(valid)
		if time.Since(started) < 300*time.Millisecond {
			return
		}
	}
	t.Error("it took 300 ms and more")
}

func TestTheStatusWithoutRedisIsAsConfigured(t *testing.T) {
	redis := startRedis(t)
	redis.stop()
	for setting, status := range map[string]int{"500": 500, "403": 403, "": 503} {
		service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url(), "AUTH_REDIS_ERROR_STATUS": setting})
		if got := service.status(with(signed(t, jwt.MapClaims{"jti": "a"}))); got != status {
			t.Errorf("%q: %d", setting, got)
		}
	}
}

func TestRedisThatIsSlowIsGivenUpAfterTheReadTimeout(t *testing.T) {
	redis := startRedis(t)
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url(), "AUTH_REDIS_READ_TIMEOUT": "50ms"})
	valid := with(signed(t, jwt.MapClaims{"jti": "a"}))
	service.status(valid)
	redis.pause(t, time.Second)
	started := time.Now()
	status := service.status(valid)
	if took := time.Since(started); status != 503 || took < 50*time.Millisecond || took > 900*time.Millisecond {
		t.Errorf("%d after %v", status, took)
	}
	service.expect(map[string]float64{errorsOf("redis", "timeout"): 1, requestsOf("deny", "redis_error"): 1})
}

func TestALookUpThatFailedIsTriedAgainAsConfigured(t *testing.T) {
	redis := startRedis(t)
	for retries, status := range map[string]int{"0": 503, "3": 200} {
		service := startService(t, map[string]string{
			"AUTH_REDIS_URL": redis.url(), "AUTH_REDIS_READ_TIMEOUT": "400ms", "AUTH_REDIS_RETRIES": retries,
		})
		valid := with(signed(t, jwt.MapClaims{"jti": "a"}))
		service.status(valid)
		redis.pause(t, 600*time.Millisecond)
		if got := service.status(valid); got != status {
			t.Errorf("with %s retries: %d", retries, got)
		}
		eventually(t, "the pause is over", func() bool { return service.status(valid) == 200 })
	}
}

func TestAnErrorRedisAnswersWithIsRefusedAndItsPasswordIsInNoLog(t *testing.T) {
	redis := startRedis(t, "--requirepass", "the right password")
	service := startService(t, map[string]string{"AUTH_REDIS_URL": "unix://:a-wrong-password@" + redis.socket})
	if status := service.status(with(signed(t, jwt.MapClaims{"jti": "a"}))); status != 503 {
		t.Errorf("%d", status)
	}
	service.expect(map[string]float64{errorsOf("redis", "refused"): 1})
	if log := service.logged.String(); strings.Contains(log, "a-wrong-password") || !strings.Contains(log, "WRONGPASS") {
		t.Error(log)
	}
}

func TestOnlyTheFirstFailureOfACauseIsLogged(t *testing.T) {
	redis := startRedis(t)
	redis.stop()
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url()})
	for range 5 {
		service.status(with(signed(t, jwt.MapClaims{"jti": "a"})))
	}
	if lines := strings.Count(service.logged.String(), "\n"); lines != 1 {
		t.Error(service.logged.String())
	}
}
