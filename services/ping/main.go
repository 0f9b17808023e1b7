// Command ping is an upstream that does next to nothing: what a request costs beyond it, the gateway and its authorization cost.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"gatebench.invalid/services/internal/settings"
	"gatebench.invalid/services/internal/web"
)

const usage = `ping: answers GET on one path with a small JSON body, until SIGTERM

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
	c := readConfig(reader)
	if len(args) > 0 {
		return help(args[0], reader, stdout, stderr)
	}
	for _, fault := range reader.Faults() {
		fmt.Fprintln(stderr, fault)
	}
	if len(reader.Faults()) > 0 {
		return 2
	}
	if err := serve(ctx, c, slog.New(slog.NewJSONHandler(stderr, nil))); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func help(asked string, reader *settings.Reader, stdout, stderr io.Writer) int {
	if asked != "--help" && asked != "-h" {
		fmt.Fprintf(stderr, "unknown-command: ping does not know %q. It knows --help, and serves without arguments.\n", asked)
		return 2
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
