package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
)

// poolFigure is one thing go-redis knows of its pool of connections.
type poolFigure struct {
	name  string
	help  string
	kind  prometheus.ValueType
	value func(*redis.PoolStats) float64
}

var poolFigures = []poolFigure{
	{"connections", "Connections to Redis that are open.", prometheus.GaugeValue,
		func(s *redis.PoolStats) float64 { return float64(s.TotalConns) }},
	{"idle_connections", "Connections nobody uses now.", prometheus.GaugeValue,
		func(s *redis.PoolStats) float64 { return float64(s.IdleConns) }},
	{"hits_total", "Look-ups that found an idle connection.", prometheus.CounterValue,
		func(s *redis.PoolStats) float64 { return float64(s.Hits) }},
	{"misses_total", "Look-ups that had to open one.", prometheus.CounterValue,
		func(s *redis.PoolStats) float64 { return float64(s.Misses) }},
	{"waits_total", "Look-ups that waited for one and got it.", prometheus.CounterValue,
		func(s *redis.PoolStats) float64 { return float64(s.WaitCount) }},
	{"wait_seconds_total", "How long these waited together.", prometheus.CounterValue,
		func(s *redis.PoolStats) float64 { return time.Duration(s.WaitDurationNs).Seconds() }},
	{"timeouts_total", "Waits given up, retries among them.", prometheus.CounterValue,
		func(s *redis.PoolStats) float64 { return float64(s.Timeouts) }},
	{"stale_total", "Connections thrown away because they had ended.", prometheus.CounterValue,
		func(s *redis.PoolStats) float64 { return float64(s.StaleConns) }},
}

// poolCollector asks go-redis when it is scraped, once for all figures.
type poolCollector struct {
	client *redis.Client
	size   int
}

var poolSizeFigure = describe("size", "Connections the pool may have at once.")

func (c poolCollector) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, to) }

func (c poolCollector) Collect(to chan<- prometheus.Metric) {
	to <- prometheus.MustNewConstMetric(poolSizeFigure, prometheus.GaugeValue, float64(c.size))
	stats := c.client.PoolStats()
	for _, figure := range poolFigures {
		to <- prometheus.MustNewConstMetric(describe(figure.name, figure.help), figure.kind, figure.value(stats))
	}
}

func describe(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "redis_pool", name), help, nil, nil)
}
