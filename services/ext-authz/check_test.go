package main

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	authv3 "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
	"github.com/golang-jwt/jwt/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestEachRequestGetsItsStatusAndIsCountedByReasonAndCause(t *testing.T) {
	redis := startRedis(t)
	redis.forbid(t, "taken back")
	withoutID := signed(t, jwt.MapClaims{"sub": "nobody"})
	redis.forbid(t, tokenID(withoutID, ""))
	none := signedBy(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, jwt.MapClaims{"jti": "a"})
	valid := signed(t, jwt.MapClaims{"jti": "a", "exp": inAnHour()})

	cases := map[string]struct {
		headers map[string]string
		status  int
		counted []string
	}{
		"a valid token": {with(valid), 200, []string{requestsOf("allow", "success")}},
		"a valid token without an id": {with(signed(t, jwt.MapClaims{"sub": "me"})), 200,
			[]string{requestsOf("allow", "success")}},
		"a token on the blacklist": {with(signed(t, jwt.MapClaims{"jti": "taken back"})), 403,
			[]string{requestsOf("deny", "blacklisted"), "ext_authz_blacklist_hits_total"}},
		"a token on the blacklist by its hash": {with(withoutID), 403,
			[]string{requestsOf("deny", "blacklisted"), "ext_authz_blacklist_hits_total"}},
		"no header":       {nil, 401, []string{requestsOf("deny", "missing_header")}},
		"an empty header": {map[string]string{"authorization": ""}, 401, []string{requestsOf("deny", "missing_header")}},
		"a cookie alone":  {map[string]string{"cookie": "s_access=" + valid}, 401, []string{requestsOf("deny", "missing_header")}},
		"several headers, as Envoy joins them": {map[string]string{"authorization": "Bearer " + valid + ",Bearer " + valid}, 401,
			[]string{requestsOf("deny", "invalid_token"), errorsOf("jwt_verify", "several")}},
		"a password": {map[string]string{"authorization": "Basic dXNlcjpwYXNz"}, 401,
			[]string{requestsOf("deny", "invalid_token"), errorsOf("jwt_verify", "scheme")}},
		"an expired token": {with(signed(t, jwt.MapClaims{"jti": "a", "exp": anHourAgo()})), 401,
			[]string{requestsOf("deny", "invalid_token"), errorsOf("jwt_verify", "expired")}},
		"an expired token on the blacklist": {with(signed(t, jwt.MapClaims{"jti": "taken back", "exp": anHourAgo()})), 401,
			[]string{requestsOf("deny", "invalid_token"), errorsOf("jwt_verify", "expired")}},
		"a token not yet valid": {with(signed(t, jwt.MapClaims{"jti": "a", "nbf": inAnHour()})), 401,
			[]string{requestsOf("deny", "invalid_token"), errorsOf("jwt_verify", "not_yet_valid")}},
		"alg none":    {with(none), 401, []string{requestsOf("deny", "invalid_token"), errorsOf("jwt_verify", "algorithm")}},
		"another key": {with(valid + "A"), 401, []string{requestsOf("deny", "invalid_token"), errorsOf("jwt_verify", "signature")}},
		"100 KB": {with(strings.Repeat("a", 100_000)), 401,
			[]string{requestsOf("deny", "invalid_token"), errorsOf("jwt_verify", "too_long")}},
		"no token": {with("hello"), 401, []string{requestsOf("deny", "invalid_token"), errorsOf("jwt_verify", "malformed")}},
	}
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url()})
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			before := service.figures()
			if status := service.status(c.headers); status != c.status {
				t.Errorf("%d, not %d", status, c.status)
			}
			if grown := grown(before, service.figures()); !maps.Equal(grown, ones(c.counted)) {
				t.Errorf("counted %v, not %v", grown, c.counted)
			}
		})
	}
}

// grown are the counters of requests, errors and hits that are greater than before, and by how much.
func grown(before, after map[string]float64) map[string]float64 {
	grown := map[string]float64{}
	for name, value := range after {
		isCounted := slices.ContainsFunc([]string{"ext_authz_requests_total", "ext_authz_errors_total", "ext_authz_blacklist_hits_total"},
			func(counter string) bool { return strings.HasPrefix(name, counter) })
		if isCounted && value != before[name] {
			grown[name] = value - before[name]
		}
	}
	return grown
}

func ones(names []string) map[string]float64 {
	ones := map[string]float64{}
	for _, name := range names {
		ones[name] = 1
	}
	return ones
}

func TestHeadersSentRawAreReadToo(t *testing.T) {
	redis := startRedis(t)
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url()})
	valid := "Bearer " + signed(t, jwt.MapClaims{"jti": "a"})
	cases := map[string]struct {
		values []string
		status int
	}{
		"one header":                  {[]string{valid}, 200},
		"several headers":             {[]string{valid, valid}, 401},
		"a header without a value":    {[]string{""}, 401},
		"no Authorization among them": {nil, 401},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			headers := []*corev3.HeaderValue{{Key: "accept", RawValue: []byte("*/*")}}
			for _, value := range c.values {
				headers = append(headers, &corev3.HeaderValue{Key: "authorization", RawValue: []byte(value)})
			}
			asked := request(nil)
			asked.Attributes.Request.Http.HeaderMap = &corev3.HeaderMap{Headers: headers}
			response, err := service.api.Check(t.Context(), asked)
			if err != nil || statusOf(response) != c.status {
				t.Errorf("%v, %v", response, err)
			}
		})
	}
}

func TestARequestWithoutAnythingInItIsRefused(t *testing.T) {
	redis := startRedis(t)
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url()})
	response, err := service.api.Check(t.Context(), &authv3.CheckRequest{})
	if err != nil || statusOf(response) != 401 {
		t.Errorf("%v, %v", response, err)
	}
}

func TestWhatMayPassGoesOnUnchanged(t *testing.T) {
	redis := startRedis(t)
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url()})
	response := service.check(with(signed(t, jwt.MapClaims{"jti": "a"})))
	ok := response.GetOkResponse()
	if response.GetStatus().GetCode() != 0 || ok == nil || len(ok.GetHeaders())+len(ok.GetHeadersToRemove())+len(ok.GetResponseHeadersToAdd()) != 0 {
		t.Errorf("%v", response)
	}
}

func TestEveryRefusalHasAGRPCStatusOfItsOwnAndA401SaysWhatItWants(t *testing.T) {
	redis := startRedis(t)
	redis.forbid(t, "taken back")
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url()})
	refused := service.check(nil)
	if code := refused.GetStatus().GetCode(); code != 16 {
		t.Errorf("401 has code %d", code)
	}
	if headers := refused.GetDeniedResponse().GetHeaders(); len(headers) != 1 || headers[0].GetHeader().GetKey() != "www-authenticate" {
		t.Errorf("%v", headers)
	}
	if code := service.check(with(signed(t, jwt.MapClaims{"jti": "taken back"}))).GetStatus().GetCode(); code != 7 {
		t.Errorf("403 has code %d", code)
	}
}

func TestAThousandRequestsAtOnceAreEachCountedOnce(t *testing.T) {
	redis := startRedis(t)
	redis.forbid(t, "taken back")
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url()})
	kinds := []struct {
		headers map[string]string
		status  int
	}{
		{with(signed(t, jwt.MapClaims{"jti": "a"})), 200},
		{with(signed(t, jwt.MapClaims{"jti": "taken back"})), 403},
		{with(signed(t, jwt.MapClaims{"jti": "a", "exp": anHourAgo()})), 401},
		{nil, 401},
	}
	var clients sync.WaitGroup
	for client := range 100 {
		clients.Go(func() {
			for range 10 {
				if kind := kinds[client%4]; service.status(kind.headers) != kind.status {
					t.Errorf("kind %d was not answered by %d", client%4, kind.status)
				}
			}
		})
	}
	clients.Wait()
	service.expect(map[string]float64{
		requestsOf("allow", "success"):                                              250,
		requestsOf("deny", "blacklisted"):                                           250,
		requestsOf("deny", "invalid_token"):                                         250,
		requestsOf("deny", "missing_header"):                                        250,
		requestsOf("deny", "redis_error"):                                           0,
		errorsOf("jwt_verify", "expired"):                                           250,
		"ext_authz_blacklist_hits_total":                                            250,
		"ext_authz_requests_in_flight":                                              0,
		"ext_authz_jwt_verify_duration_seconds_count":                               750,
		"ext_authz_redis_lookup_duration_seconds_count":                             500,
		`ext_authz_request_duration_seconds_count{reason="success",result="allow"}`: 250,
	})
}

func TestRequestsInFlightAreShownWhileTheyLast(t *testing.T) {
	redis := startRedis(t)
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url()})
	valid := with(signed(t, jwt.MapClaims{"jti": "a"}))
	service.status(valid)
	redis.pause(t, 800*time.Millisecond)
	var clients sync.WaitGroup
	for range 7 {
		clients.Go(func() { service.status(valid) })
	}
	eventually(t, "seven are in flight", func() bool { return service.figures()["ext_authz_requests_in_flight"] == 7 })
	clients.Wait()
	service.expect(map[string]float64{"ext_authz_requests_in_flight": 0})
}

func TestTheTimeOfAnAnswerIsSeenAsFineAsItIs(t *testing.T) {
	redis := startRedis(t)
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url()})
	valid := with(signed(t, jwt.MapClaims{"jti": "a"}))
	service.status(valid)
	before := service.figures()
	redis.pause(t, 600*time.Millisecond)
	service.status(valid)
	after := service.figures()
	slower := func(bound string) float64 {
		name := `ext_authz_redis_lookup_duration_seconds_bucket{le="` + bound + `"}`
		return 1 - (after[name] - before[name])
	}
	// Of the published service's buckets, 0.1 was the last one; a look-up of 600 ms and one of ten seconds were the same to it.
	if slower("0.4") != 1 || slower("0.8") != 0 {
		t.Errorf("slower than 0.4 s: %v, than 0.8 s: %v", slower("0.4"), slower("0.8"))
	}
}

func TestALookUpIsGivenUpWithItsRequest(t *testing.T) {
	redis := startRedis(t)
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url(), "AUTH_REDIS_POOL_SIZE": "1"})
	valid := with(signed(t, jwt.MapClaims{"jti": "a"}))
	service.status(valid)
	redis.pause(t, time.Second)
	var holder sync.WaitGroup
	holder.Go(func() { service.status(valid) })
	eventually(t, "the only connection is in use", func() bool { return service.figures()["ext_authz_redis_pool_idle_connections"] == 0 })

	impatient, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
	defer cancel()
	if _, err := service.api.Check(impatient, request(valid)); err == nil {
		t.Error("it was answered")
	}
	eventually(t, "it is counted as cancelled", func() bool { return service.figures()[errorsOf("redis", "cancelled")] == 1 })
	holder.Wait()
	service.expect(map[string]float64{requestsOf("allow", "success"): 2, requestsOf("deny", "redis_error"): 1})
}

func TestARequestWhoseGatewayHasGivenUpAsksRedisNothing(t *testing.T) {
	redis := startRedis(t)
	c, _ := read(map[string]string{"AUTH_SECRET_KEY": testKey, "AUTH_REDIS_URL": redis.url()})
	list := newBlacklist(c.redis)
	defer list.close()
	counted := newMetrics(prometheus.NewRegistry())
	ctx, giveUp := context.WithCancel(t.Context())
	giveUp()
	response, err := newAuthorizer(c, list, counted, slog.Default()).Check(ctx, request(with(signed(t, jwt.MapClaims{"jti": "a"}))))
	if err != nil || statusOf(response) != 503 {
		t.Errorf("%v, %v", response, err)
	}
	if lates := testutil.ToFloat64(counted.errors.WithLabelValues("redis", "late")); lates != 1 || list.client.PoolStats().TotalConns != 0 {
		t.Errorf("%v late, %d connections", lates, list.client.PoolStats().TotalConns)
	}
}
