# Counts of answers and errors, and the figures made from them.
import math
from collections import Counter


def edge(us):
    """Microseconds up to 2047 stand for themselves; above, a bucket is at most 1/1024 wide, named by its upper edge."""
    width = 1 << max(0, us.bit_length() - 11)
    return (us // width + 1) * width - 1


class Counts:
    """What happened in one process, or in all of them. Times in microseconds."""

    TABLES = ("statuses", "errors", "latencies", "answered", "failed")
    SUMS = ("sum", "squares", "bytes", "foreign", "exceptions")

    def __init__(self):
        for table in self.TABLES:
            setattr(self, table, Counter())
        for name in self.SUMS:
            setattr(self, name, 0)
        self.least, self.most, self.exception, self.overloaded = None, None, None, None

    def answer(self, status, us, size, second):
        self.statuses[status] += 1
        self.latencies[edge(us)] += 1
        self.answered[second] += 1
        self.sum += us
        self.squares += float(us) * us
        self.bytes += size
        self.least = us if self.least is None or us < self.least else self.least
        self.most = us if self.most is None or us > self.most else self.most

    def failure(self, kind, second):
        self.errors[kind] += 1
        self.failed[second] += 1

    def add(self, other, shift=0):
        """Adds another's counts, whose seconds began so many seconds later than ours."""
        for table in self.TABLES:
            moved = shift if table in ("answered", "failed") else 0
            for key, count in getattr(other, table).items():
                getattr(self, table)[key + moved if moved else key] += count
        for name in self.SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.least = min((us for us in (self.least, other.least) if us is not None), default=None)
        self.most = max((us for us in (self.most, other.most) if us is not None), default=None)
        self.exception = self.exception or other.exception
        self.overloaded = self.overloaded or other.overloaded

    def packed(self):
        return {name: list(value.items()) if isinstance(value, Counter) else value for name, value in vars(self).items()}

    @classmethod
    def unpacked(cls, packed):
        counts = cls()
        for name, value in packed.items():
            setattr(counts, name, Counter(dict(value)) if name in cls.TABLES else value)
        return counts


def latency(counts):
    """Percentiles are the upper edges of the buckets that hold the samples of these ranks."""
    samples = sum(counts.latencies.values())
    if samples == 0:
        return None
    mean = counts.sum / samples
    wanted = [(name, math.ceil(part * samples)) for name, part in PARTS]
    ranks, seen = {}, 0
    for upper, count in sorted(counts.latencies.items()):
        seen += count
        while wanted and wanted[0][1] <= seen:
            ranks[wanted.pop(0)[0]] = min(upper, counts.most)
    stdev = math.sqrt(max(0, counts.squares / samples - mean * mean))
    return {"min": counts.least, "mean": round(mean, 3), "stdev": round(stdev, 3), "max": counts.most, **ranks}


PARTS = (("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p999", 0.999))


def histogram(counts):
    """Pairs of upper edge and count; none where they would not fit what a job may print."""
    pairs = [[upper, count] for upper, count in sorted(counts.latencies.items())]
    return pairs if len(pairs) <= 14000 else None


def series(counts):
    """Second, answers, errors; of long runs so many seconds together that 600 lines are enough."""
    length = max([*counts.answered, *counts.failed], default=-1) + 1
    width = math.ceil(length / 600) or 1
    together = lambda table, at: sum(table[second] for second in range(at, at + width))
    return [[at, together(counts.answered, at), together(counts.failed, at)] for at in range(0, length, width)]
