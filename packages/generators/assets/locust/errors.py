# Transport errors by kind, however three HTTP libraries word them.
import errno
import http.client
import socket
import ssl

import gevent
import requests
import urllib3
from geventhttpclient.response import HTTPConnectionClosed, HTTPParseError
from locust.contrib.fasthttp import FAILURE_EXCEPTIONS, LocustBadStatusCode

# What an error is called, by the first error of its chain that has a name here.
NUMBERS = {
    errno.EADDRNOTAVAIL: "ports",
    errno.EMFILE: "files",
    errno.ENFILE: "files",
    errno.ETIMEDOUT: "timeout",
    errno.ECONNREFUSED: "connect",
    errno.EHOSTUNREACH: "connect",
    errno.ENETUNREACH: "connect",
    errno.ECONNRESET: "reset",
    errno.ECONNABORTED: "reset",
    errno.EPIPE: "reset",
}
TYPES = (
    ((socket.gaierror, urllib3.exceptions.NameResolutionError), "dns"),
    ((TimeoutError, gevent.Timeout, requests.Timeout, urllib3.exceptions.TimeoutError), "timeout"),
    # Python calls an end without an answer a reset that has no number.
    ((http.client.RemoteDisconnected, http.client.IncompleteRead, HTTPConnectionClosed), "eof"),
    ((ConnectionResetError, BrokenPipeError), "reset"),
    ((ssl.SSLError, requests.exceptions.SSLError, urllib3.exceptions.SSLError), "tls"),
)


def is_transport(error):
    """Whether no whole answer came; a status that Locust does not like, or a locustfile's own verdict, is none of it."""
    judged = isinstance(error, (LocustBadStatusCode, requests.HTTPError))
    return isinstance(error, (*FAILURE_EXCEPTIONS, requests.RequestException)) and not judged


def kind_of(error):
    chain = list(chain_of(error))
    for inner in reversed(chain):
        name = NUMBERS.get(getattr(inner, "errno", None)) or next(
            (kind for types, kind in TYPES if isinstance(inner, types)), None
        )
        if name:
            return name
    # geventhttpclient's words for an end that comes too early.
    words = " ".join(str(inner) for inner in chain if isinstance(inner, HTTPParseError))
    return "eof" if "closed" in words or "Incomplete" in words else "other"


def chain_of(error, seen=()):
    """An error and those it was raised for, the outermost first."""
    if not isinstance(error, BaseException) or error in seen:
        return
    yield error
    inner = [error.__cause__ or error.__context__, getattr(error, "original", None), getattr(error, "reason", None), *error.args]
    for one in inner:
        yield from chain_of(one, (*seen, error))
