package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"gatebench.invalid/services/internal/settings"
)

// probe looks something up in Redis now and then, on a connection of its own: how fast Redis is for somebody who does not
// wait for the service's pool. If it is quick while the service's look-ups are slow, Redis is not the bottleneck.
type probe struct {
	ratePerS float64
	duration time.Duration
}

// probed is the line that is printed. Times are those of look-ups that were answered; each begins when it is sent.
type probed struct {
	Probe     string  `json:"probe"`
	RatePerS  float64 `json:"ratePerS"`
	DurationS float64 `json:"durationS"`
	Lookups   int     `json:"lookups"`
	Errors    int     `json:"errors"`
	// Late look-ups began after the next one was due: Redis was slower than the rate, and so less was asked than should be.
	Late   int     `json:"late"`
	MinMs  float64 `json:"minMs"`
	MeanMs float64 `json:"meanMs"`
	P99Ms  float64 `json:"p99Ms"`
	MaxMs  float64 `json:"maxMs"`
}

func readProbe(args []string) (probe, error) {
	var p probe
	flags := flag.NewFlagSet("probe-redis", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Float64Var(&p.ratePerS, "rate", 10, "")
	flags.DurationVar(&p.duration, "duration", time.Minute, "")
	err := flags.Parse(args)
	if err != nil || flags.NArg() > 0 || !(p.ratePerS >= 0.001 && p.ratePerS <= 1000) || p.duration < p.interval() {
		return p, errors.New(`invalid-option: probe-redis takes --rate, look-ups a second, from 0.001 to 1000, and --duration, such as "60s", long enough for one of them.`)
	}
	return p, nil
}

func (p probe) interval() time.Duration { return time.Duration(float64(time.Second) / p.ratePerS) }

// readProbeRules asks for one connection, and for look-ups that are not tried again: a retry would count as slow.
func readProbeRules(r *settings.Reader) redisRules {
	return redisRules{address: readRedisAddress(r), readTimeout: readRedisTimeout(r), poolSize: 1, poolTimeout: time.Minute}
}

// run looks up until its time is over or the context ends, and prints what it has seen. Opening the connection is not
// part of any look-up.
func (p probe) run(ctx context.Context, rules redisRules, stdout io.Writer) error {
	list := newBlacklist(rules)
	defer list.close()
	if err := list.client.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("redis-unreachable: %w. Correct AUTH_REDIS_URL, or start Redis.", err)
	}
	seen, tookMs, err := p.lookUps(ctx, list)
	if len(tookMs) == 0 {
		return fmt.Errorf("no-lookups: none of %d look-ups was answered (the last: %v). Let Redis answer EXISTS, or probe for longer.", seen.Lookups, err)
	}
	seen.summarise(tookMs)
	return json.NewEncoder(stdout).Encode(seen)
}

func (p probe) lookUps(ctx context.Context, list blacklist) (seen probed, tookMs []float64, last error) {
	started := time.Now()
	seen = probed{Probe: "redis", RatePerS: p.ratePerS}
	for due := started; due.Before(started.Add(p.duration)) && waited(ctx, due); due = due.Add(p.interval()) {
		sent := time.Now()
		seen.Lookups++
		if _, last = list.has(ctx, "probe"); last != nil {
			seen.Errors++
		} else {
			tookMs = append(tookMs, milliseconds(time.Since(sent)))
		}
		if sent.Sub(due) > p.interval() {
			seen.Late++
		}
	}
	seen.DurationS = time.Since(started).Seconds()
	return seen, tookMs, last
}

// waited says whether the time has come, rather than the end.
func waited(ctx context.Context, due time.Time) bool {
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}

// summarise takes the P99 by nearest rank: below a hundred look-ups it is the slowest one.
func (s *probed) summarise(tookMs []float64) {
	slices.Sort(tookMs)
	for _, ms := range tookMs {
		s.MeanMs += ms / float64(len(tookMs))
	}
	s.MinMs, s.MaxMs = tookMs[0], tookMs[len(tookMs)-1]
	s.P99Ms = tookMs[int(math.Ceil(0.99*float64(len(tookMs))))-1]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
