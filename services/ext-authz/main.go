// Command ext-authz decides for a gateway whether a request may pass: a JWT must be valid and not on a blacklist in Redis.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"gatebench.invalid/services/internal/settings"
)

const usage = `ext-authz: Envoy's external authorization (gRPC) by JWT and a blacklist in Redis

  ext-authz                                             answers until SIGTERM
  ext-authz probe-redis [--rate 10] [--duration 60s]    measures look-ups at a low rate and prints one line of JSON

Settings are environment variables:

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	os.Exit(command(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
}

// command gives the exit code: 0 when it did what was asked, 1 when it failed, 2 when what was asked cannot be done.
func command(ctx context.Context, args []string, env func(string) (string, bool), stdout, stderr io.Writer) int {
	reader := settings.From(env)
	switch first := strings.Join(args[:min(1, len(args))], ""); first {
	case "":
		return serveCommand(ctx, reader, stderr)
	case "probe-redis":
		return probeCommand(ctx, reader, args[1:], stdout, stderr)
	case "--help", "-h", "help":
		readConfig(reader)
		fmt.Fprint(stdout, usage, reader.Help())
		return 0
	default:
		return refuse(stderr, fmt.Sprintf("unknown-command: ext-authz does not know %q. It knows: probe-redis, --help, and serves without a command.", first))
	}
}

func serveCommand(ctx context.Context, reader *settings.Reader, stderr io.Writer) int {
	c := readConfig(reader)
	if faults := reader.Faults(); len(faults) > 0 {
		return refuse(stderr, faults...)
	}
	return ended(stderr, serve(ctx, c, slog.New(slog.NewJSONHandler(stderr, nil))))
}

func probeCommand(ctx context.Context, reader *settings.Reader, args []string, stdout, stderr io.Writer) int {
	p, err := readProbe(args)
	if err != nil {
		reader.Fault("%s", err)
	}
	rules := readProbeRules(reader)
	if faults := reader.Faults(); len(faults) > 0 {
		return refuse(stderr, faults...)
	}
	return ended(stderr, p.run(ctx, rules, stdout))
}

func refuse(stderr io.Writer, faults ...string) int {
	for _, fault := range faults {
		fmt.Fprintln(stderr, fault)
	}
	return 2
}

func ended(stderr io.Writer, err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, err)
	return 1
}
