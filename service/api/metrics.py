"""Metrics for a scraper: requests, their durations, and the voters. They contain no key, address or question.

Counts belong to one process. With several workers behind one port, set PROMETHEUS_MULTIPROC_DIR to an empty
folder, and the library sums over the workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

from flask import Flask
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

MEDIA_TYPE = CONTENT_TYPE_LATEST
METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})

REQUESTS = Counter("ninefold_requests", "Requests answered.", ["method", "route", "status"])
SECONDS = Histogram(
    "ninefold_request_seconds",
    "Seconds until a response begins.",
    ["method", "route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25),
)
VOTER_SECONDS = Histogram(
    "ninefold_voter_seconds",
    "Seconds that a voter needed for its vote.",
    ["voter"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20),
)
ABSTENTIONS = Counter("ninefold_abstentions", "Questions on which a voter did not vote.", ["voter"])


def register(app: Flask) -> None:
    """Measure every request of `app` by wrapping it, which costs a third of what Flask's hooks cost."""
    inner = app.wsgi_app

    def wsgi_app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        started = perf_counter()

        def start(status: str, *rest: Any) -> Callable[[bytes], object]:
            rule = environ["werkzeug.request"].url_rule
            seconds, requests = _counters(environ["REQUEST_METHOD"], rule.rule if rule else "none", status[:3])
            seconds.observe(perf_counter() - started)
            requests.inc()
            return start_response(status, *rest)

        return inner(environ, start)

    app.wsgi_app = wsgi_app


def observe_vote(voter: str, seconds: float) -> None:
    """Count a vote that took `seconds`."""
    VOTER_SECONDS.labels(voter).observe(seconds)


def observe_abstention(voter: str) -> None:
    """Count an abstention."""
    ABSTENTIONS.labels(voter).inc()


def exposition() -> bytes:
    """All metrics in the text format of Prometheus."""
    registry = CollectorRegistry()
    try:
        MultiProcessCollector(registry)
    except ValueError:  # no folder is set: a single process
        registry = REGISTRY
    return generate_latest(registry)


@lru_cache(maxsize=1024)
def _counters(method: str, route: str, status: str) -> tuple[Histogram, Counter]:
    # Labels come from our own routes and a fixed set of methods, so a caller cannot create new ones.
    method = method if method in METHODS else "other"
    return SECONDS.labels(method, route), REQUESTS.labels(method, route, status)
