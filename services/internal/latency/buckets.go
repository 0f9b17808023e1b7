// Package latency has the bounds of every histogram here.
package latency

import "math"

// renard is the series R10 of ISO 3: ten steps to a decade, each bound 23 to 28 % above the one before it. A percentile read
// from such a bucket is off by no more than that. The published service had 0.25, 0.5 and 1 s next to each other, so
// that everything slower than 250 ms had "a P99 of 431 to 484 ms".
var renard = []float64{1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8}

// Buckets are the bounds in seconds: from 1 µs, a fifth of the time a signature takes, to 10 s, twice as long as anything waits.
func Buckets() []float64 {
	var bounds []float64
	for decade := -6; decade < 1; decade++ {
		for _, step := range renard {
			bounds = append(bounds, rounded(step, decade))
		}
	}
	return append(bounds, 10)
}

// rounded keeps labels readable: 0.000315 and not 0.00031499999999999996.
func rounded(step float64, decade int) float64 {
	return math.Round(step*100) / math.Pow10(2-decade)
}
