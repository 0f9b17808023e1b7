package main

import (
	"strings"
	"time"

	"gatebench.invalid/services/internal/settings"
)

type config struct {
	bind        string
	port        int
	path        string
	stopTimeout time.Duration
}

// No setting is called PING_PORT: Kubernetes sets that for a Service named ping, to something else.
func readConfig(r *settings.Reader) config {
	return config{
		bind:        r.Address("PING_BIND"),
		port:        r.Port("PING_LISTEN_PORT", 8080, "port of everything, over HTTP"),
		path:        readPath(r),
		stopTimeout: r.Duration("PING_STOP_TIMEOUT", 10*time.Second, 0, time.Minute, "how long requests under way may take after SIGTERM"),
	}
}

func readPath(r *settings.Reader) string {
	s := settings.Setting{
		Name: "PING_PATH", Default: "/api/v1/ping",
		Possible: "a path such as /api/v1/ping, other than /metrics and /healthz",
		Meaning:  "the path that is answered",
	}
	return settings.Read(r, s, func(text string) (string, bool) { return text, isFree(text) })
}

func isFree(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.ContainsAny(path, " {}?#") && path != "/metrics" && path != "/healthz"
}
