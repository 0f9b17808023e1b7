package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// redisServer is a real one, on a socket of its own, so that no test chooses a port.
type redisServer struct {
	socket  string
	options []string
	process *exec.Cmd
	control *redis.Client
}

func startRedis(t *testing.T, options ...string) *redisServer {
	t.Helper()
	directory, err := os.MkdirTemp("", "redis") // t.TempDir is too long for a socket's name.
	if err != nil {
		t.Fatal(err)
	}
	r := &redisServer{socket: filepath.Join(directory, "redis.sock"), options: options}
	r.start(t)
	t.Cleanup(func() {
		r.stop()
		_ = os.RemoveAll(directory)
	})
	return r
}

func (r *redisServer) start(t *testing.T) {
	t.Helper()
	arguments := append([]string{"--port", "0", "--unixsocket", r.socket, "--save", "", "--appendonly", "no"}, r.options...)
	r.process = exec.Command("redis-server", arguments...)
	if err := r.process.Start(); err != nil {
		t.Fatalf("these tests need a redis-server on PATH (Debian: apt install redis-server): %v", err)
	}
	r.control = redis.NewClient(&redis.Options{Network: "unix", Addr: r.socket})
	eventually(t, "Redis answers", func() bool {
		err := r.control.Ping(context.Background()).Err()
		return err == nil || lookupCauseOf(err) == refused
	})
}

func (r *redisServer) stop() {
	_ = r.control.Close()
	_ = r.process.Process.Kill()
	_ = r.process.Wait()
}

func (r *redisServer) url() string { return "unix://" + r.socket }

func (r *redisServer) forbid(t *testing.T, id string) {
	t.Helper()
	if err := r.control.Set(t.Context(), "blacklist:"+id, "1", time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
}

// pause makes every command wait, as a Redis does that has something long to do.
func (r *redisServer) pause(t *testing.T, duration time.Duration) {
	t.Helper()
	if err := r.control.Do(t.Context(), "CLIENT", "PAUSE", duration.Milliseconds(), "ALL").Err(); err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("not within ten seconds: %s", what)
}
