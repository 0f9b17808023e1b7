// Command ping is an upstream that does next to nothing: what a request costs beyond it, the gateway and its authorization cost.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"gatebench.invalid/services/internal/program"
	"gatebench.invalid/services/internal/settings"
	"gatebench.invalid/services/internal/web"
)

const usage = `ping: answers GET on one path with a small JSON body, until SIGTERM

Settings are environment variables:

`

func main() { program.Run(command) }

func command(ctx context.Context, args []string, env func(string) (string, bool), stdout, stderr io.Writer) int {
	reader := settings.From(env)
	c := readConfig(reader)
	if len(args) > 0 {
		return help(args[0], reader, stdout, stderr)
	}
	if faults := reader.Faults(); len(faults) > 0 {
		return program.Refused(stderr, faults...)
	}
	return program.Ended(stderr, serve(ctx, c, slog.New(slog.NewJSONHandler(stderr, nil))))
}

func help(asked string, reader *settings.Reader, stdout, stderr io.Writer) int {
	if asked != "--help" && asked != "-h" {
		return program.Refused(stderr, fmt.Sprintf("unknown-command: ping does not know %q. It knows --help, and serves without arguments.", asked))
	}
	fmt.Fprint(stdout, usage, reader.Help())
	return 0
}

func serve(ctx context.Context, c config, logger *slog.Logger) error {
	listener, err := web.Listen(c.bind, c.port, "PING_LISTEN_PORT")
	if err != nil {
		return err
	}
	logger.Info("answering", "address", listener.Addr().String(), "path", c.path)
	return newServer(c).Run(ctx, listener, c.stopTimeout)
}

func newServer(c config) *web.Server {
	registry := web.Registry()
	server := web.New(registry)
	server.Mux.Handle("/", counted(c.path, registry))
	return server
}
