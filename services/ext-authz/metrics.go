package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gatebench.invalid/services/internal/latency"
)

const namespace = "ext_authz"

// metrics are the published service's, by name and label, with buckets that can tell, and with the label "cause" beside
// "type". Every series is there from the start: a counter that first appears with a value is no increase to Prometheus.
type metrics struct {
	requestDuration *prometheus.HistogramVec
	jwtVerify       prometheus.Histogram
	redisLookup     prometheus.Histogram
	requests        *prometheus.CounterVec
	errors          *prometheus.CounterVec
	blacklistHits   prometheus.Counter
	inFlight        prometheus.Gauge
}

func newMetrics(registry prometheus.Registerer) *metrics {
	m := &metrics{
		requestDuration: prometheus.NewHistogramVec(
			seconds("request_duration_seconds", "Time from a request's arrival to its decision."), []string{"result", "reason"}),
		jwtVerify: prometheus.NewHistogram(
			seconds("jwt_verify_duration_seconds", "Time a token's verification takes.")),
		redisLookup: prometheus.NewHistogram(
			seconds("redis_lookup_duration_seconds", "Time a look-up takes, with the wait for a connection and its retries.")),
		requests: prometheus.NewCounterVec(
			counter("requests_total", "Requests decided."), []string{"result", "reason"}),
		errors: prometheus.NewCounterVec(
			counter("errors_total", "Tokens refused (jwt_verify) and look-ups that failed (redis), by cause."), []string{"type", "cause"}),
		blacklistHits: prometheus.NewCounter(
			counter("blacklist_hits_total", "Valid tokens that were on the blacklist.")),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Name: "requests_in_flight", Help: "Requests that are being decided now."}),
	}
	registry.MustRegister(m.requestDuration, m.jwtVerify, m.redisLookup, m.requests, m.errors, m.blacklistHits, m.inFlight)
	m.begin()
	return m
}

func seconds(name, help string) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: latency.Buckets()}
}

func counter(name, help string) prometheus.CounterOpts {
	return prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}
}

func (m *metrics) begin() {
	for _, why := range reasons {
		m.requests.WithLabelValues(why.result(), string(why))
		m.requestDuration.WithLabelValues(why.result(), string(why))
	}
	for _, cause := range tokenCauses {
		m.errors.WithLabelValues("jwt_verify", string(cause))
	}
	for _, cause := range lookupCauses {
		m.errors.WithLabelValues("redis", string(cause))
	}
}

func (m *metrics) count(d decision, took time.Duration) {
	m.requestDuration.WithLabelValues(d.reason.result(), string(d.reason)).Observe(took.Seconds())
	m.requests.WithLabelValues(d.reason.result(), string(d.reason)).Inc()
	switch d.reason {
	case invalidToken:
		m.errors.WithLabelValues("jwt_verify", string(d.token)).Inc()
	case redisError:
		m.errors.WithLabelValues("redis", string(d.lookup)).Inc()
	case blacklisted:
		m.blacklistHits.Inc()
	}
}
