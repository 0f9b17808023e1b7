package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	authv3 "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
	"github.com/golang-jwt/jwt/v5"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// TestMain lets this binary be the service itself, where a test needs a process.
func TestMain(m *testing.M) {
	if os.Getenv("EXT_AUTHZ_TEST_PROCESS") != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestItIsWellByHTTPAndByGRPCWhateverRedisDoes(t *testing.T) {
	redis := startRedis(t)
	redis.stop()
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url()})
	if health := service.get("/healthz"); health != "ok\n" {
		t.Errorf("%q", health)
	}
	answer, err := grpc_health_v1.NewHealthClient(service.connection).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{})
	if err != nil || answer.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("%v, %v", answer, err)
	}
}

func TestARequestUnderWayIsAnsweredBeforeTheServiceStops(t *testing.T) {
	redis := startRedis(t)
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url()})
	valid := with(signed(t, jwt.MapClaims{"jti": "a"}))
	service.status(valid)
	redis.pause(t, 400*time.Millisecond)
	answered := make(chan int, 1)
	go func() { answered <- service.status(valid) }()
	eventually(t, "it is under way", func() bool { return service.figures()["ext_authz_requests_in_flight"] == 1 })
	service.stop()
	eventually(t, "/healthz says so", func() bool { return service.get("/healthz") == "stopping\n" })
	if status := <-answered; status != 200 {
		t.Errorf("%d", status)
	}
	if err := <-service.ended; err != nil {
		t.Error(err)
	}
}

func TestARequestThatTakesTooLongDoesNotKeepTheServiceFromStopping(t *testing.T) {
	redis := startRedis(t)
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url(), "AUTH_STOP_TIMEOUT": "50ms"})
	valid := with(signed(t, jwt.MapClaims{"jti": "a"}))
	service.status(valid)
	redis.pause(t, 1500*time.Millisecond)
	failed := make(chan error, 1)
	go func() {
		_, err := service.api.Check(context.Background(), request(valid))
		failed <- err
	}()
	eventually(t, "it is under way", func() bool { return service.figures()["ext_authz_requests_in_flight"] == 1 })
	service.stop()
	if err := <-failed; err == nil {
		t.Error("it was answered")
	}
	if err := <-service.ended; err != nil {
		t.Error(err)
	}
}

func TestAProcessEndsWithCode0OnSIGTERMAndItsLogNamesNoSecret(t *testing.T) {
	redis := startRedis(t)
	api, web := freePort(t), freePort(t)
	var log strings.Builder
	process := exec.Command(os.Args[0])
	process.Stderr = &log
	process.Env = []string{
		"EXT_AUTHZ_TEST_PROCESS=1", "AUTH_BIND=127.0.0.1", "AUTH_SECRET_KEY=" + testKey, "AUTH_REDIS_URL=" + redis.url(),
		"AUTH_GRPC_PORT=" + api, "AUTH_METRICS_PORT=" + web,
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Process.Kill() })
	eventually(t, "it is well", func() bool {
		answer, err := http.Get("http://127.0.0.1:" + web + "/healthz")
		if err == nil {
			_ = answer.Body.Close()
		}
		return err == nil && answer.StatusCode == 200
	})
	client := authv3.NewAuthorizationClient(dial(t, "127.0.0.1:"+api))
	response, err := client.Check(t.Context(), request(with(signed(t, jwt.MapClaims{"jti": "a"}))))
	if err != nil || statusOf(response) != 200 {
		t.Errorf("%v, %v", response, err)
	}
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := process.Wait(); err != nil {
		t.Error(err)
	}
	if text := log.String(); strings.Contains(text, testKey) || !strings.Contains(text, `"msg":"answering"`) {
		t.Error(text)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	listener := loopback(t)
	defer listener.Close()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

func TestAPortInUseIsOneLine(t *testing.T) {
	taken := loopback(t)
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	code, _, stderr := run(t, nil, map[string]string{
		"AUTH_SECRET_KEY": testKey, "AUTH_BIND": "127.0.0.1", "AUTH_GRPC_PORT": strconv.Itoa(port),
	})
	line := "cannot-listen: listen tcp 127.0.0.1:" + strconv.Itoa(port) + ": bind: address already in use. Choose another port by AUTH_GRPC_PORT.\n"
	if code != 1 || stderr != line {
		t.Errorf("%d, %q", code, stderr)
	}
}

// run carries out the command with a context that has ended, so that nothing serves for long.
func run(t *testing.T, args []string, environment map[string]string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(context.Background(), 10*time.Second, errors.New("the command did not end"))
	defer cancel()
	var out, err strings.Builder
	code = command(ctx, args, lookup(environment), &out, &err)
	return code, out.String(), err.String()
}
