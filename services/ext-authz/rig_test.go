package main

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	authv3 "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
	"github.com/golang-jwt/jwt/v5"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"gatebench.invalid/services/internal/settings"
)

const testKey = "a key of tests, thirty-two bytes long"

// rig is the whole service on two free ports, and what its gateway would call it with.
type rig struct {
	t          *testing.T
	connection *grpc.ClientConn
	api        authv3.AuthorizationClient
	web        string
	logged     *strings.Builder
	stop       context.CancelFunc
	ended      chan error
}

func lookup(environment map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := environment[name]
		return value, ok
	}
}

// startService takes settings as people write them.
func startService(t *testing.T, environment map[string]string) *rig {
	t.Helper()
	all := map[string]string{"AUTH_SECRET_KEY": testKey, "AUTH_REDIS_RETRIES": "0"}
	maps.Copy(all, environment)
	reader := settings.From(lookup(all))
	c := readConfig(reader)
	if faults := reader.Faults(); len(faults) > 0 {
		t.Fatal(faults)
	}
	api, web := loopback(t), loopback(t)
	ctx, stop := context.WithCancel(context.Background())
	r := &rig{t: t, web: "http://" + web.Addr().String(), logged: &strings.Builder{}, stop: stop, ended: make(chan error, 1)}
	s := newService(c, slog.New(slog.NewTextHandler(r.logged, nil)))
	go func() { r.ended <- s.run(ctx, api, web, c.stopTimeout) }()
	r.connection = dial(t, api.Addr().String())
	r.api = authv3.NewAuthorizationClient(r.connection)
	t.Cleanup(stop)
	return r
}

func loopback(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

func dial(t *testing.T, address string) *grpc.ClientConn {
	t.Helper()
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// status is what the client of the gateway would get.
func (r *rig) status(headers map[string]string) int {
	r.t.Helper()
	return statusOf(r.check(headers))
}

func (r *rig) check(headers map[string]string) *authv3.CheckResponse {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	response, err := r.api.Check(ctx, request(headers))
	if err != nil {
		r.t.Error(err)
	}
	return response
}

func statusOf(response *authv3.CheckResponse) int {
	if denied := response.GetDeniedResponse(); denied != nil {
		return int(denied.GetStatus().GetCode())
	}
	return 200
}

func request(headers map[string]string) *authv3.CheckRequest {
	http := &authv3.AttributeContext_HttpRequest{Method: "GET", Path: "/api/v1/ping", Headers: headers}
	attributes := &authv3.AttributeContext{Request: &authv3.AttributeContext_Request{Http: http}}
	return &authv3.CheckRequest{Attributes: attributes}
}

func with(token string) map[string]string {
	return map[string]string{"authorization": "Bearer " + token}
}

// figures are the service's metrics, by the text before each value.
func (r *rig) figures() map[string]float64 {
	r.t.Helper()
	figures := map[string]float64{}
	for line := range strings.Lines(r.get("/metrics")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if number, err := strconv.ParseFloat(value, 64); err == nil && name != "#" {
			figures[name] = number
		}
	}
	return figures
}

func (r *rig) get(path string) string {
	r.t.Helper()
	answer, err := http.Get(r.web + path)
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// expect holds figures against what they must be; those that are not there at all are a fault too.
func (r *rig) expect(expected map[string]float64) {
	r.t.Helper()
	figures := r.figures()
	for name, value := range expected {
		if got, ok := figures[name]; !ok || got != value {
			r.t.Errorf("%s is %v (there: %v), not %v", name, got, ok, value)
		}
	}
}

func requestsOf(result, reason string) string {
	return `ext_authz_requests_total{reason="` + reason + `",result="` + result + `"}`
}

func errorsOf(kind, cause string) string {
	return `ext_authz_errors_total{cause="` + cause + `",type="` + kind + `"}`
}

func signed(t *testing.T, claims jwt.MapClaims) string {
	t.Helper()
	return signedBy(t, jwt.SigningMethodHS256, []byte(testKey), claims)
}

func signedBy(t *testing.T, method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
	t.Helper()
	token, err := jwt.NewWithClaims(method, claims).SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func inAnHour() int64  { return time.Now().Add(time.Hour).Unix() }
func anHourAgo() int64 { return time.Now().Add(-time.Hour).Unix() }
