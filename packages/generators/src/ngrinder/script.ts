import type { Load, RequestSpec, Target } from "@gatebench/core/contract";
import { secondsOf } from "@gatebench/core/contract";
import { expectsBody, requestHeaders, urlOf, type Headers } from "../request-headers";
import { recorder } from "./recorder";

/** What a script needs to know beside load and target. */
export interface ScriptOptions {
  readonly record: boolean;
  /** Answers, and connections, that take longer are errors. */
  readonly timeoutS: number;
}

/** nGrinder's Groovy, in the shape of its own template. Each test is one request, each thread one user. */
export function script(load: Load, target: Target, options: ScriptOptions): string {
  const parts = [
    heading(options.record),
    opening(load, target, options),
    beginning(options),
    testing(target, load, options),
    ...(thinkOf(load) === undefined ? [] : [thinking(load)]),
    ...(options.record ? [recording(load), recorder] : []),
    "}\n",
  ];
  return parts.join("\n");
}

function heading(record: boolean): string {
  const own = record
    ? `import ch.qos.logback.classic.Level
import groovy.json.JsonOutput
import groovy.transform.CompileStatic
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.atomic.DoubleAdder
import java.util.concurrent.atomic.LongAdder
import java.util.zip.Adler32
`
    : "import ch.qos.logback.classic.Level\n";
  return `// Written by gatebench.
import static net.grinder.script.Grinder.grinder
import static org.junit.Assert.*
import static org.hamcrest.Matchers.*
${own}import java.security.SecureRandom
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
`;
}

function opening(load: Load, target: Target, { record }: ScriptOptions): string {
  const rows = target.requests.map((request) => `\t\t${row(request, target, load)},`).join("\n");
  const seconds = load.duration === undefined ? "0" : `${Math.round(secondsOf(load.duration) * 1e9)}L`;
  return `@RunWith(GrinderRunner)
class TestRunner {
	static final List<Map> requests = [
${rows}
	]
	public static GTest test
	public static HTTPRequest request
${record ? `	/** How long each process sends; 0: until its runs are done. */\n	static final long durationNs = ${seconds}\n` : ""}	int turn = -1
`;
}

function row(spec: RequestSpec, target: Target, load: Load): string {
  const { method, path, body, expect } = spec;
  const closing: Headers = load.connection === "per-request" ? { Connection: "close" } : {};
  const headers = headerList({ ...requestHeaders(spec, target), ...closing });
  const content = expectsBody(method) ? `, body: ${quoted(body ?? "")}.getBytes("UTF-8")` : "";
  const url = urlOf({ ...spec, path }, target);
  return `[method: ${quoted(method)}, url: ${quoted(url)}, headers: [${headers}] as List<Header>${content}, expect: ${expect}]`;
}

const headerList = (headers: Headers) =>
  Object.entries(headers)
    .map(([name, value]) => `new BasicHeader(${quoted(name)}, ${quoted(value)})`)
    .join(", ");

function beginning({ record, timeoutS }: ScriptOptions): string {
  const ms = Math.round(timeoutS * 1000);
  return `	@BeforeProcess
	static void beforeProcess() {
		HTTPRequestControl.setConnectionTimeout(${ms})
		HTTPRequestControl.setSocketTimeout(${ms})
		test = new GTest(1, "request")
		request = new HTTPRequest()
		request.@requester.close()
		request.@requester = requester(${ms})
		// nGrinder logs each request, and its log keeps one megabyte.
		LoggerFactory.getLogger("worker").setLevel(Level.${record ? "OFF" : "ERROR"})
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
`;
}

function testing({ requests }: Target, load: Load, { record }: ScriptOptions): string {
  const choosing = requests.length > 1 && load.spread === "normal" ? normalChoice : inTurn;
  const stop = record ? "\t\tif (recorder.isOver(durationNs)) grinder.stopThisWorkerThread()\n" : "";
  return `	@Before
	void before() {
${stop}		CookieManager.reset()
	}

	@Test
	void test() {
		Map chosen = next()
		HTTPResponse response = ${record ? "recorder.timed { send(chosen) }" : "send(chosen)"}
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

${choosing}`;
}

const inTurn = `	/** One after the other, each thread from its own place. */
	Map next() {
		turn = (turn + 1) % requests.size()
		return requests[turn]
	}
`;

const normalChoice = `	/** Those in the middle more often than those at the ends: mean n/2, standard deviation n/6. */
	Map next() {
		int size = requests.size()
		int index = -1
		while (index < 0 || index >= size) {
			index = (int) Math.floor(size / 2d + ThreadLocalRandom.current().nextGaussian() * size / 6d)
		}
		return requests[index]
	}
`;

const thinkOf = (load: Load) => (load.model === "users" ? load.think : undefined);

function thinking(load: Load): string {
  const think = thinkOf(load);
  const [min, max] = think === undefined ? [0, 0] : [secondsOf(think.min) * 1e3, secondsOf(think.max) * 1e3];
  return `	/** Outside of the test, so that thinking is not timed. */
	@After
	void think() {
		grinder.sleep(ThreadLocalRandom.current().nextLong(${Math.round(min)}, ${Math.round(max) + 1}), 0)
	}
`;
}

function recording(load: Load): string {
  const end = load.duration === undefined ? "until every run was done" : "for the time asked for";
  return `	/** Every request of this process, sent ${end}. */
	static final Recorder recorder = new Recorder()

	@AfterProcess
	static void afterProcess() {
		LoggerFactory.getLogger("worker").setLevel(Level.INFO)
		recorder.lines(durationNs).each { grinder.logger.info(it) }
	}
`;
}

/** A Groovy string in which nothing is replaced; references in it stay whole. */
export function quoted(text: string): string {
  const escaped = text.replace(/['\\]/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\0/g, "\\u0000");
  return `'${escaped}'`;
}
