// Written by gatebench.
import static net.grinder.script.Grinder.grinder
import static org.junit.Assert.*
import static org.hamcrest.Matchers.*
import ch.qos.logback.classic.Level
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
		LoggerFactory.getLogger("worker").setLevel(Level.ERROR)
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
		CookieManager.reset()
	}

	@Test
	void test() {
		Map chosen = next()
		HTTPResponse response = send(chosen)
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

	/** One after the other, each thread from its own place. */
	Map next() {
		turn = (turn + 1) % requests.size()
		return requests[turn]
	}

}
