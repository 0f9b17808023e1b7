package latency

import (
	"slices"
	"testing"
)

func TestBucketsRiseFromMicrosecondsToSecondsInStepsOfAtMost28Percent(t *testing.T) {
	bounds := Buckets()
	if bounds[0] != 1e-6 || bounds[len(bounds)-1] != 10 {
		t.Fatalf("from %v to %v", bounds[0], bounds[len(bounds)-1])
	}
	for i := 1; i < len(bounds); i++ {
		if ratio := bounds[i] / bounds[i-1]; ratio <= 1.2 || ratio > 1.2801 {
			t.Errorf("%v follows %v", bounds[i], bounds[i-1])
		}
	}
}

func TestBoundsAreWrittenShort(t *testing.T) {
	for _, bound := range []float64{0.000315, 0.00125, 0.25, 0.5, 1, 1.25} {
		if !slices.Contains(Buckets(), bound) {
			t.Errorf("%v is no bound", bound)
		}
	}
}
