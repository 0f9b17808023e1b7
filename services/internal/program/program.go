// Package program is how a service's command begins and ends.
package program

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Command does what the arguments ask and gives the exit code: 0 when it did, 1 when it failed, 2 when what was asked
// cannot be done. It stops when the context ends.
type Command func(ctx context.Context, args []string, env func(string) (string, bool), stdout, stderr io.Writer) int

// Run ends this process with the command's exit code; SIGTERM and SIGINT end its context.
func Run(command Command) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	os.Exit(command(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
}

// Refused tells what is wrong with what was asked, a line each.
func Refused(stderr io.Writer, faults ...string) int {
	for _, fault := range faults {
		fmt.Fprintln(stderr, fault)
	}
	return 2
}

// Ended tells what failed, if anything did.
func Ended(stderr io.Writer, err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, err)
	return 1
}
