// Package web serves a service's own HTTP: metrics, whether it is well, and what else it is given.
package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Registry has what Go and the process tell of themselves: CPU time and memory come from here where nothing else watches.
func Registry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	process := collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})
	registry.MustRegister(collectors.NewGoCollector(), process)
	return registry
}

// Server answers /metrics and /healthz. It is well from its start until it is asked to stop; what it depends on does not
// count, because a service that leaves its gateway whenever Redis is slow would hide what is to be measured.
type Server struct {
	Mux      *http.ServeMux
	stopping atomic.Bool
	http     http.Server
}

// headerWait ends connections that open and say nothing.
const headerWait = 10 * time.Second

// New makes a server that shows what is in the registry.
func New(registry *prometheus.Registry) *Server {
	s := &Server{Mux: http.NewServeMux()}
	s.Mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	s.Mux.HandleFunc("GET /healthz", s.health)
	s.http = http.Server{Handler: s.Mux, ReadHeaderTimeout: headerWait}
	return s
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	if s.stopping.Load() {
		http.Error(w, "stopping", http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte("ok\n"))
}

// Serve answers until Stop; then it returns nil.
func (s *Server) Serve(listener net.Listener) error {
	if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Stopping makes /healthz say so, while everything is still answered.
func (s *Server) Stopping() { s.stopping.Store(true) }

// Stop lets requests under way end, for as long as the context allows.
func (s *Server) Stop(ctx context.Context) error {
	s.Stopping()
	return s.http.Shutdown(ctx)
}

// Run answers until the context ends, then lets requests under way end.
func (s *Server) Run(ctx context.Context, listener net.Listener, stopTimeout time.Duration) error {
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	return s.Stop(stopping)
}

// Listen opens a port that a setting has chosen.
func Listen(bind string, port int, setting string) (net.Listener, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(bind, strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("cannot-listen: %w. Choose another port by %s.", err, setting)
	}
	return listener, nil
}
