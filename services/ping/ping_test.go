package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatebench.invalid/services/internal/settings"
)

func lookup(environment map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := environment[name]
		return value, ok
	}
}

// start serves until the test is over, and gives its address.
func start(t *testing.T, environment map[string]string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	c := readConfig(settings.From(lookup(environment)))
	go func() { ended <- newServer(c).Run(ctx, listener, c.stopTimeout) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + listener.Addr().String()
}

func ask(t *testing.T, method, url string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func TestAPingIsAnsweredAndEverythingAskedIsCounted(t *testing.T) {
	address := start(t, nil)
	for range 3 {
		if status, body := ask(t, "GET", address+"/api/v1/ping"); status != 200 || body != `{"message":"pong"}` {
			t.Errorf("%d, %s", status, body)
		}
	}
	if status, _ := ask(t, "GET", address+"/elsewhere"); status != 404 {
		t.Errorf("%d", status)
	}
	if status, _ := ask(t, "POST", address+"/api/v1/ping"); status != 405 {
		t.Errorf("%d", status)
	}
	_, metrics := ask(t, "GET", address+"/metrics")
	for _, line := range []string{
		`ping_requests_total{code="200"} 3`, `ping_requests_total{code="404"} 1`, `ping_requests_total{code="405"} 1`,
		"ping_request_duration_seconds_count 5", "ping_requests_in_flight 0",
	} {
		if !strings.Contains(metrics, line+"\n") {
			t.Errorf("no %q", line)
		}
	}
}

func TestAskingForMetricsOrHealthCountsAsNothing(t *testing.T) {
	address := start(t, nil)
	if status, body := ask(t, "GET", address+"/healthz"); status != 200 || body != "ok\n" {
		t.Errorf("%d, %q", status, body)
	}
	_, _ = ask(t, "GET", address+"/metrics")
	if _, metrics := ask(t, "GET", address+"/metrics"); !strings.Contains(metrics, `ping_requests_total{code="200"} 0`+"\n") {
		t.Error(metrics)
	}
}

func TestThePathIsAsConfigured(t *testing.T) {
	address := start(t, map[string]string{"PING_PATH": "/api/v1/character/ping"})
	if status, _ := ask(t, "GET", address+"/api/v1/character/ping"); status != 200 {
		t.Errorf("%d", status)
	}
}

func TestFaultsAreOneLineEach(t *testing.T) {
	const paths = "It takes a path such as /api/v1/ping, other than /metrics and /healthz. Correct it, or leave it out for /api/v1/ping.\n"
	cases := map[string]struct {
		args        []string
		environment map[string]string
		stderr      string
	}{
		"a path without its slash": {nil, map[string]string{"PING_PATH": "ping"}, `invalid-setting: PING_PATH is "ping". ` + paths},
		"a path that is taken":     {nil, map[string]string{"PING_PATH": "/metrics"}, `invalid-setting: PING_PATH is "/metrics". ` + paths},
		"a path with a pattern":    {nil, map[string]string{"PING_PATH": "/{x}"}, `invalid-setting: PING_PATH is "/{x}". ` + paths},
		"an argument": {[]string{"serve"}, nil,
			`unknown-command: ping does not know "serve". It knows --help, and serves without arguments.` + "\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			if code := command(t.Context(), c.args, lookup(c.environment), &stdout, &stderr); code != 2 || stderr.String() != c.stderr {
				t.Errorf("%d, %q", code, stderr.String())
			}
		})
	}
}

func TestWhatKubernetesSetsForAServiceNamedPingDoesNoHarm(t *testing.T) {
	ended, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	var stdout, stderr strings.Builder
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	_ = free.Close()
	environment := map[string]string{"PING_PORT": "tcp://10.0.0.1:80", "PING_BIND": "127.0.0.1", "PING_LISTEN_PORT": port}
	if code := command(ended, nil, lookup(environment), &stdout, &stderr); code != 0 {
		t.Errorf("%d, %q", code, stderr.String())
	}
}
