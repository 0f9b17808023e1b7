/** Stands before each piece of a process' figures in its log. */
export const pieceTag = "@gatebench-piece";

/**
 * What nGrinder itself does not keep: every latency, status and kind of error. Plain Java collections, so that nothing
 * has to be put on the agents. Printed in pieces, because a log's lines are cut by some readers.
 */
export const recorder = `	@CompileStatic
	static class Recorder {
		private final AtomicLong beganNs = new AtomicLong()
		private volatile long beganMs
		private final AtomicLong lastNs = new AtomicLong()
		private final ConcurrentHashMap<Object, LongAdder> statuses = new ConcurrentHashMap<>()
		private final ConcurrentHashMap<Object, LongAdder> errors = new ConcurrentHashMap<>()
		private final ConcurrentHashMap<Object, LongAdder> buckets = new ConcurrentHashMap<>()
		private final ConcurrentHashMap<Object, LongAdder> answersBySecond = new ConcurrentHashMap<>()
		private final ConcurrentHashMap<Object, LongAdder> errorsBySecond = new ConcurrentHashMap<>()
		private final ConcurrentHashMap<String, String> said = new ConcurrentHashMap<>()
		private final LongAdder sumUs = new LongAdder()
		private final DoubleAdder squaresUs = new DoubleAdder()
		private final AtomicLong minUs = new AtomicLong(Long.MAX_VALUE)
		private final AtomicLong maxUs = new AtomicLong(-1)

		boolean isOver(long durationNs) {
			begin()
			return durationNs > 0 && System.nanoTime() - beganNs.get() >= durationNs
		}

		def timed(Closure sending) {
			long start = System.nanoTime()
			try {
				def response = sending.call()
				answered(((org.ngrinder.http.HTTPResponse) response).statusCode, start, System.nanoTime())
				return response
			} catch (RuntimeException e) {
				failed(e, System.nanoTime())
				throw e
			}
		}

		private synchronized void begin() {
			if (beganMs != 0L) return
			beganNs.set(System.nanoTime())
			beganMs = System.currentTimeMillis()
			lastNs.set(beganNs.get())
		}

		private void answered(int status, long start, long end) {
			long us = (end - start).intdiv(1000L) as long
			count(statuses, status)
			count(buckets, edge(us))
			count(answersBySecond, second(end))
			sumUs.add(us)
			squaresUs.add((double) us * (double) us)
			minUs.accumulateAndGet(us, { long a, long b -> Math.min(a, b) })
			maxUs.accumulateAndGet(us, { long a, long b -> Math.max(a, b) })
			seen(end)
		}

		private void failed(Throwable e, long end) {
			String kind = kindOf(e)
			count(errors, kind)
			count(errorsBySecond, second(end))
			said.putIfAbsent(kind, root(e).toString().take(160))
			seen(end)
		}

		private void seen(long end) {
			lastNs.accumulateAndGet(end, { long a, long b -> Math.max(a, b) })
		}

		private long second(long end) { return (beganMs * 1000000L + (end - beganNs.get())).intdiv(1000000000L) as long }

		private static void count(ConcurrentHashMap<Object, LongAdder> counts, Object key) {
			counts.computeIfAbsent(key, { new LongAdder() }).increment()
		}

		/** Microseconds up to 2047 stand for themselves; above, a bucket is at most 1/1024 wide and named by its upper edge. */
		static long edge(long us) {
			int shift = Math.max(0, 64 - Long.numberOfLeadingZeros(us) - 11)
			return (((us >> shift) + 1L) << shift) - 1L
		}

		private static Throwable root(Throwable e) {
			Throwable cause = e
			while (cause.cause != null && !cause.is(cause.cause)) cause = cause.cause
			return cause
		}

		private static String kindOf(Throwable e) {
			Throwable cause = root(e)
			String text = cause.class.simpleName + " " + cause.message
			if (text =~ /^UnknownHost|^UnresolvedAddress/) return "dns"
			if (text =~ /^SSL|^CertificateException|^TLS/) return "tls"
			if (text =~ /Timeout|timed out/) return "timeout"
			if (text =~ /^(BindException|NoRouteToHost)|assign requested address/) return "ports"
			if (text =~ /Too many open files/) return "files"
			if (text =~ /^ConnectException|^HttpHostConnect/) return "connect"
			if (text =~ /reset/) return "reset"
			if (text =~ /^ConnectionClosed|^EOF|^EndOfStream|closed/) return "eof"
			if (text =~ /Broken pipe/) return "write"
			return "other"
		}

		private Map figures(long durationNs) {
			begin()
			long last = lastNs.get() - beganNs.get()
			long here = System.nanoTime() - beganNs.get()
			return [
				agent: Math.max(0, net.grinder.script.Grinder.grinder.agentNumber),
				process: net.grinder.script.Grinder.grinder.processNumber,
				beganMs: beganMs,
				// A process stopped early has not sent to its end.
				sentUs: Math.max(last, Math.min(durationNs, here)).intdiv(1000L),
				statuses: sums(statuses), errors: sums(errors), said: said,
				minUs: minUs.get(), maxUs: maxUs.get(), sumUs: sumUs.sum(), squaresUs: squaresUs.sum(),
				buckets: pairs(buckets), answersBySecond: pairs(answersBySecond), errorsBySecond: pairs(errorsBySecond),
			]
		}

		private static Map sums(Map<Object, LongAdder> counts) {
			return counts.collectEntries { key, count -> [(key.toString()): count.sum()] }
		}

		private static List pairs(Map<Object, LongAdder> counts) {
			return counts.keySet().collect { it as Long }.sort().collect { [it, counts.get((Object) it).sum()] }
		}

		List<String> lines(long durationNs) {
			String text = JsonOutput.toJson(figures(durationNs))
			List<String> pieces = text.toList().collate(800).collect { it.join("") }
			String of = "" + Math.max(0, net.grinder.script.Grinder.grinder.agentNumber) + "." + net.grinder.script.Grinder.grinder.processNumber
			List<String> lines = []
			pieces.eachWithIndex { String piece, int index ->
				lines.add("@gatebench-piece " + of + " " + (index + 1) + "/" + pieces.size() + " " + seal(piece) + " " + piece)
			}
			return lines
		}

		private static String seal(String text) {
			Adler32 sum = new Adler32()
			sum.update(text.getBytes("UTF-8"))
			return String.format("%08x", sum.value)
		}
	}
`;
