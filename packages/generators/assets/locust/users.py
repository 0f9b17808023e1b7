# The users of the load above: who they are, what each sends, and when.
import math
import random
from http.cookiejar import DefaultCookiePolicy

import gevent.ssl
import geventhttpclient.client
import urllib3
from geventhttpclient.header import Headers
from locust import FastHttpUser, HttpUser, between, constant, constant_throughput
from urllib3.util import SKIP_HEADER

STATUSES = frozenset(range(100, 600))

# Stands for a header that is not to be sent: Locust adds an Accept-Encoding where none is given.
UNSENT = "unsent"


class SentHeaders(Headers):
    def update(self, headers=None, **more):
        super().update({name: value for name, value in (headers or {}).items() if value != UNSENT}, **more)


# One for all: making one takes longer than a request. No session is ever resumed with it.
TLS = gevent.ssl._create_unverified_context()


def next_request(turn):
    """Uniform: in turn, by each user. Normal: around the middle, a sixth of the requests wide."""
    if LOAD["spread"] == "uniform" or len(REQUESTS) == 1:
        return turn % len(REQUESTS)
    while True:
        at = math.floor(random.gauss(len(REQUESTS) / 2, len(REQUESTS) / 6))
        if 0 <= at < len(REQUESTS):
            return at


def waiting():
    if "pacePerS" in LOAD:
        return constant_throughput(LOAD["pacePerS"])
    return between(*LOAD["thinkS"]) if "thinkS" in LOAD else constant(0)


class Sender:
    wait_time = waiting()

    def on_start(self):
        self.turn = random.randrange(len(REQUESTS))
        self.left = LOAD.get("perUser")

    def send(self):
        if self.left == 0:
            self.finish()
        self.ask(REQUESTS[next_request(self.turn)])
        self.turn += 1
        if self.left is not None:
            self.left -= 1

    tasks = [send]

    def finish(self):
        """Waits for the others: Locust would replace who leaves while others are still to come."""
        self.environment.runner.send_message("gatebench-finished")
        while True:
            gevent.sleep(3600)


class Fast(Sender, FastHttpUser):
    abstract = LOAD["client"] != "fast"
    max_redirects = 0
    max_retries = 0

    def __init__(self, environment):
        self.client_pool = geventhttpclient.client.HTTPClientPool(
            concurrency=1,
            connection_timeout=LOAD["timeoutS"],
            network_timeout=LOAD["timeoutS"],
            insecure=True,
            ssl_context_factory=lambda cafile=None: TLS,
            headers_type=SentHeaders,
        )
        super().__init__(environment)
        # Cookies would make a user's requests differ from each other.
        self.client.client.cookiejar = None
        # Locust closes the connection of any other status before its body is read.
        self.client.client.valid_response_codes = STATUSES

    def ask(self, request):
        headers = {"Accept-Encoding": UNSENT, **request["headers"]}
        self.client.request(request["method"], request["path"], "request", request.get("body"), headers=headers)


class Http(Sender, HttpUser):
    abstract = LOAD["client"] != "http"

    def on_start(self):
        super().on_start()
        self.client.headers.clear()
        self.client.verify = False
        self.client.trust_env = False
        self.client.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        urllib3.disable_warnings()

    def ask(self, request):
        headers = {"Accept-Encoding": SKIP_HEADER, **request["headers"]}
        body = request["body"].encode() if "body" in request else None
        timeout = LOAD["timeoutS"]
        self.client.request(
            request["method"], request["path"], "request", data=body, headers=headers, timeout=timeout, allow_redirects=False
        )
