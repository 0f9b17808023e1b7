// Written by gatebench.
import static net.grinder.script.Grinder.grinder
import static org.junit.Assert.*
import static org.hamcrest.Matchers.*
import ch.qos.logback.classic.Level
import groovy.json.JsonOutput
import groovy.transform.CompileStatic
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.atomic.DoubleAdder
import java.util.concurrent.atomic.LongAdder
import java.util.zip.Adler32
import java.security.SecureRandom
import java.util.concurrent.ThreadLocalRandom
import javax.net.ssl.SSLContext
import javax.net.ssl.TrustManager
import net.grinder.script.GTest
import net.grinder.scriptengine.groovy.junit.GrinderRunner
import net.grinder.scriptengine.groovy.junit.annotation.AfterProcess
import net.grinder.scriptengine.groovy.junit.annotation.BeforeProcess
import net.grinder.scriptengine.groovy.junit.annotation.BeforeThread
import org.apache.hc.core5.http.Header
import org.apache.hc.core5.http.config.CharCodingConfig
import org.apache.hc.core5.http.config.Http1Config
import org.apache.hc.core5.http.impl.nio.ClientHttp1StreamDuplexerFactory
import org.apache.hc.core5.http.message.BasicHeader
import org.apache.hc.core5.http.protocol.HttpProcessorBuilder
import org.apache.hc.core5.http.protocol.RequestContent
import org.apache.hc.core5.http.protocol.RequestTargetHost
import org.apache.hc.core5.http2.HttpVersionPolicy
import org.apache.hc.core5.http2.config.H2Config
import org.apache.hc.core5.http2.impl.H2Processors
import org.apache.hc.core5.http2.impl.nio.ClientH2StreamMultiplexerFactory
import org.apache.hc.core5.http2.impl.nio.ClientHttpProtocolNegotiatorFactory
import org.apache.hc.core5.http2.ssl.H2ClientTlsStrategy
import org.apache.hc.core5.reactor.IOReactorConfig
import org.apache.hc.core5.util.Timeout
import org.junit.After
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.ngrinder.http.HTTPRequest
import org.ngrinder.http.HTTPRequestControl
import org.ngrinder.http.HTTPRequester
import org.ngrinder.http.HTTPResponse
import org.ngrinder.http.TrustAllManager
import org.ngrinder.http.cookie.CookieManager
import org.slf4j.LoggerFactory

@RunWith(GrinderRunner)
class TestRunner {
	static final List<Map> requests = [
		[method: 'GET', url: 'http://gateway.example:8080/1k.txt', headers: [new BasicHeader('Host', 'gateway.example'), new BasicHeader('User-Agent', 'hey/0.0.1'), new BasicHeader('Content-Type', 'text/plain')] as List<Header>, expect: 200],
		[method: 'POST', url: 'http://gateway.example:8080/2', headers: [new BasicHeader('Host', 'gateway.example'), new BasicHeader('User-Agent', 'hey/0.0.1'), new BasicHeader('Content-Type', 'text/plain'), new BasicHeader('X-Api-Key', '<gatebench:consumer-1.key>')] as List<Header>, body: 'it\'s'.getBytes("UTF-8"), expect: 201],
	]
	public static GTest test
	public static HTTPRequest request
	/** How long each process sends; 0: until its runs are done. */
	static final long durationNs = 30000000000L
	int turn = -1

	@BeforeProcess
	static void beforeProcess() {
		HTTPRequestControl.setConnectionTimeout(10000)
		HTTPRequestControl.setSocketTimeout(10000)
		test = new GTest(1, "request")
		request = new HTTPRequest()
		request.@requester.close()
		request.@requester = requester(10000)
		// nGrinder logs each request, and its log keeps one megabyte.
		LoggerFactory.getLogger("worker").setLevel(Level.OFF)
	}

	/**
	 * nGrinder's own (HTTPRequester.Builder), but for what it adds to requests, Connection: keep-alive and
	 * Expect: 100-continue, and for HTTP/2, which it speaks to a server that offers it.
	 */
	static HTTPRequester requester(int timeoutMs) {
		int ioThreads = grinder.properties.getInt("grinder.threads", 1).intdiv(100) + 1
		def reactor = IOReactorConfig.custom().setIoThreadCount(ioThreads).setSoTimeout(Timeout.ofMilliseconds(timeoutMs)).build()
		def processor = HttpProcessorBuilder.create().addAll(new RequestTargetHost(), new RequestContent()).build()
		def http1 = new ClientHttp1StreamDuplexerFactory(processor, Http1Config.DEFAULT, CharCodingConfig.DEFAULT, null)
		def http2 = new ClientH2StreamMultiplexerFactory(H2Processors.client(), null, H2Config.DEFAULT, CharCodingConfig.DEFAULT, null)
		SSLContext trusting = SSLContext.getInstance("SSL")
		trusting.init(null, [new TrustAllManager()] as TrustManager[], new SecureRandom())
		def protocols = new ClientHttpProtocolNegotiatorFactory(http1, http2, null, new H2ClientTlsStrategy(trusting), null)
		HTTPRequester own = new HTTPRequester(reactor, protocols, null, null, null, HttpVersionPolicy.FORCE_HTTP_1)
		own.start()
		return own
	}

	@BeforeThread
	void beforeThread() {
		test.record(this, "test")
		grinder.statistics.delayReports = true
		turn = grinder.threadNumber - 1
	}

	@Before
	void before() {
		if (recorder.isOver(durationNs)) grinder.stopThisWorkerThread()
		CookieManager.reset()
	}

	@Test
	void test() {
		Map chosen = next()
		HTTPResponse response = recorder.timed { send(chosen) }
		assertThat(response.statusCode, is(chosen.expect))
	}

	HTTPResponse send(Map chosen) {
		String url = chosen.url
		List<Header> headers = chosen.headers
		switch (chosen.method) {
			case "GET": return request.GET(url, [], headers)
			case "HEAD": return request.HEAD(url, [], headers)
			case "DELETE": return request.DELETE(url, [], headers)
			case "POST": return request.POST(url, (byte[]) chosen.body, headers)
			case "PUT": return request.PUT(url, (byte[]) chosen.body, headers)
			case "PATCH": return request.PATCH(url, (byte[]) chosen.body, headers)
		}
	}

	/** Those in the middle more often than those at the ends: mean n/2, standard deviation n/6. */
	Map next() {
		int size = requests.size()
		int index = -1
		while (index < 0 || index >= size) {
			index = (int) Math.floor(size / 2d + ThreadLocalRandom.current().nextGaussian() * size / 6d)
		}
		return requests[index]
	}

	/** Outside of the test, so that thinking is not timed. */
	@After
	void think() {
		grinder.sleep(ThreadLocalRandom.current().nextLong(1000, 2001), 0)
	}

	/** Every request of this process, sent for the time asked for. */
	static final Recorder recorder = new Recorder()

	@AfterProcess
	static void afterProcess() {
		LoggerFactory.getLogger("worker").setLevel(Level.INFO)
		recorder.lines(durationNs).each { grinder.logger.info(it) }
	}

	@CompileStatic
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

}
