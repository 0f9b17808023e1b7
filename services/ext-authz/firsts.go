package main

import (
	"log/slog"
	"sync"
)

// firsts lets the first failure of each cause into the log; all of them are in the counters. A line for each would be
// measured as CPU time of the service just when that is short.
type firsts struct {
	logger *slog.Logger
	seen   sync.Map
}

func (f *firsts) log(cause lookupCause, err error) {
	if _, known := f.seen.LoadOrStore(cause, true); !known {
		f.logger.Warn("Redis could not be asked; further failures of this cause are counted only", "cause", cause, "error", err)
	}
}
