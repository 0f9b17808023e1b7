// Command ext-authz decides for a gateway whether a request may pass: a JWT must be valid and not on a blacklist in Redis.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"gatebench.invalid/services/internal/program"
	"gatebench.invalid/services/internal/settings"
)

const usage = `ext-authz: Envoy's external authorization (gRPC) by JWT and a blacklist in Redis

  ext-authz                                             answers until SIGTERM
  ext-authz probe-redis [--rate 10] [--duration 60s]    measures look-ups at a low rate and prints one line of JSON

Settings are environment variables:

`

func main() { program.Run(command) }

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
		return program.Refused(stderr, fmt.Sprintf("unknown-command: ext-authz does not know %q. It knows: probe-redis, --help, and serves without a command.", first))
	}
}

func serveCommand(ctx context.Context, reader *settings.Reader, stderr io.Writer) int {
	c := readConfig(reader)
	if faults := reader.Faults(); len(faults) > 0 {
		return program.Refused(stderr, faults...)
	}
	return program.Ended(stderr, serve(ctx, c, slog.New(slog.NewJSONHandler(stderr, nil))))
}

func probeCommand(ctx context.Context, reader *settings.Reader, args []string, stdout, stderr io.Writer) int {
	p, err := readProbe(args)
	if err != nil {
		reader.Fault("%s", err)
	}
	rules := readProbeRules(reader)
	if faults := reader.Faults(); len(faults) > 0 {
		return program.Refused(stderr, faults...)
	}
	return program.Ended(stderr, p.run(ctx, rules, stdout))
}
