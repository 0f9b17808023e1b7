package main

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gatebench.invalid/services/internal/latency"
)

// body is the same for every request, so that a gateway that changes it is noticed.
const body = `{"message":"pong"}`

func answer(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(body))
}

// counted answers GET on one path and counts everything that is asked here, with the status it got.
func counted(path string, registry prometheus.Registerer) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+path, answer)
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "ping_requests_total", Help: "Requests answered, by status."}, []string{"code"})
	duration := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "ping_request_duration_seconds", Help: "Time to answer.", Buckets: latency.Buckets()}, nil)
	inFlight := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "ping_requests_in_flight", Help: "Requests that are being answered now."})
	registry.MustRegister(requests, duration, inFlight)
	requests.WithLabelValues("200") // There from the start: a counter that first appears with a value is no increase to Prometheus.
	timed := promhttp.InstrumentHandlerDuration(duration, promhttp.InstrumentHandlerCounter(requests, mux))
	return promhttp.InstrumentHandlerInFlight(inFlight, timed)
}
