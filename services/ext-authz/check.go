package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	authv3 "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
)

// authorizer answers envoy.service.auth.v3.Authorization: a valid token that nobody took back may pass, nothing else may.
// What cannot be found out is refused (it fails closed).
type authorizer struct {
	authv3.UnimplementedAuthorizationServer
	verifier  verifier
	blacklist blacklist
	answers   answers
	metrics   *metrics
	firsts    *firsts
}

func newAuthorizer(c config, list blacklist, counted *metrics, logger *slog.Logger) *authorizer {
	return &authorizer{
		verifier:  newVerifier(c.token),
		blacklist: list,
		answers:   answers{redisErrorStatus: c.redisErrorStatus},
		metrics:   counted,
		firsts:    &firsts{logger: logger},
	}
}

// Check is called by the gateway once for each request.
func (a *authorizer) Check(ctx context.Context, request *authv3.CheckRequest) (*authv3.CheckResponse, error) {
	started := time.Now()
	a.metrics.inFlight.Inc()
	defer a.metrics.inFlight.Dec()
	decided := a.decide(ctx, request)
	a.metrics.count(decided, time.Since(started))
	return a.answers.to(decided.reason), nil
}

func (a *authorizer) decide(ctx context.Context, request *authv3.CheckRequest) decision {
	token, err := bearer(authorizations(request))
	if err != nil {
		return refusedToken(err)
	}
	id, err := a.verify(token)
	if err != nil {
		return refusedToken(err)
	}
	return a.lookUp(ctx, id)
}

func refusedToken(err error) decision {
	var cause tokenCause
	if errors.As(err, &cause); cause == missing {
		return decision{reason: missingHeader}
	}
	return decision{reason: invalidToken, token: cause}
}

func (a *authorizer) verify(token string) (string, error) {
	started := time.Now()
	defer func() { a.metrics.jwtVerify.Observe(time.Since(started).Seconds()) }()
	return a.verifier.verify(token)
}

func (a *authorizer) lookUp(ctx context.Context, id string) decision {
	if ctx.Err() != nil {
		return decision{reason: redisError, lookup: late}
	}
	started := time.Now()
	listed, err := a.blacklist.has(ctx, id)
	a.metrics.redisLookup.Observe(time.Since(started).Seconds())
	switch {
	case err != nil:
		return a.failed(err)
	case listed:
		return decision{reason: blacklisted}
	}
	return decision{reason: success}
}

func (a *authorizer) failed(err error) decision {
	cause := lookupCauseOf(err)
	a.firsts.log(cause, err)
	return decision{reason: redisError, lookup: cause}
}

// authorizations are the values of the Authorization header in either form Envoy sends headers in: a map with names in
// lower case, or, with encode_raw_headers, a list.
func authorizations(request *authv3.CheckRequest) []string {
	http := request.GetAttributes().GetRequest().GetHttp()
	var values []string
	if value, ok := http.GetHeaders()["authorization"]; ok {
		values = append(values, value)
	}
	for _, header := range http.GetHeaderMap().GetHeaders() {
		if header.GetKey() == "authorization" {
			values = append(values, valueOf(header))
		}
	}
	return values
}

func valueOf(header *corev3.HeaderValue) string {
	if raw := header.GetRawValue(); len(raw) > 0 {
		return string(raw)
	}
	return header.GetValue()
}
