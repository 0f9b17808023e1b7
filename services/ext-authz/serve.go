package main

import (
	"context"
	"log/slog"
	"net"
	"time"

	authv3 "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"gatebench.invalid/services/internal/web"
)

// service is everything that listens.
type service struct {
	grpc      *grpc.Server
	health    *health.Server
	web       *web.Server
	blacklist blacklist
}

func newService(c config, logger *slog.Logger) *service {
	registry := web.Registry()
	s := &service{grpc: grpc.NewServer(), health: health.NewServer(), web: web.New(registry), blacklist: newBlacklist(c.redis)}
	registry.MustRegister(poolCollector{client: s.blacklist.client, size: c.redis.poolSize})
	authv3.RegisterAuthorizationServer(s.grpc, newAuthorizer(c, s.blacklist, newMetrics(registry), logger))
	grpc_health_v1.RegisterHealthServer(s.grpc, s.health)
	return s
}

// serve answers until the context ends, then lets requests under way end.
func serve(ctx context.Context, c config, logger *slog.Logger) error {
	api, err := web.Listen(c.bind, c.grpcPort, "AUTH_GRPC_PORT")
	if err != nil {
		return err
	}
	defer api.Close()
	metrics, err := web.Listen(c.bind, c.metricsPort, "AUTH_METRICS_PORT")
	if err != nil {
		return err
	}
	logger.Info("answering", "grpc", api.Addr().String(), "metrics", metrics.Addr().String(), "redisPool", c.redis.poolSize)
	return newService(c, logger).run(ctx, api, metrics, c.stopTimeout)
}

func (s *service) run(ctx context.Context, api, metrics net.Listener, stopTimeout time.Duration) error {
	defer s.blacklist.close()
	failed := make(chan error, 2)
	go func() { failed <- s.grpc.Serve(api) }()
	go func() { failed <- s.web.Serve(metrics) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	return s.stop(stopTimeout)
}

// stop tells callers to go elsewhere, waits for requests under way, and ends those that take too long. The metrics are
// there to the last: what came in the meantime counts.
func (s *service) stop(within time.Duration) error {
	s.health.Shutdown()
	s.web.Stopping()
	tooLate := time.AfterFunc(within, s.grpc.Stop)
	s.grpc.GracefulStop()
	tooLate.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return s.web.Stop(ctx)
}
