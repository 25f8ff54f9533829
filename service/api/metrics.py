"""Metrics for a scraper: requests, votes, and what is stored. They contain no key, address or question.

Counts belong to one process. Where PROMETHEUS_MULTIPROC_DIR names a folder, as it does in the processes of
`app.py web`, the library sums over them. What jobs did is read from the database: see `gauges`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import structlog
from flask import Flask
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from sqlalchemy.exc import SQLAlchemyError

from service.api.gauges import StateGauges
from service.api.services import Services

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

log = structlog.stdlib.get_logger(__name__)

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
VOTES = Counter("ninefold_votes", "Votes on questions.", ["voter", "engine"])
REFUNDS = Counter("ninefold_refunds", "Refunds of charges, at once or delayed by a fault of the database.", ["when"])
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


def observe_vote(voter: str, engine: str, seconds: float) -> None:
    """Count a vote by an engine that took `seconds`."""
    VOTER_SECONDS.labels(voter).observe(seconds)
    VOTES.labels(voter, engine).inc()


def observe_refund(*, delayed: bool) -> None:
    """Count the refund of a request."""
    REFUNDS.labels("later" if delayed else "at once").inc()


def observe_abstention(voter: str) -> None:
    """Count an abstention."""
    ABSTENTIONS.labels(voter).inc()


def exposition(services: Services) -> bytes:
    """All metrics in the text format of Prometheus; without what is stored while the database does not answer."""
    try:
        return _of_processes() + generate_latest(_stored(services))
    except SQLAlchemyError as error:
        log.warning("gauges_unavailable", error=type(error).__name__)
        return _of_processes()


def _stored(services: Services) -> CollectorRegistry:
    stored = CollectorRegistry(auto_describe=False)
    stored.register(StateGauges(services))
    return stored


def _of_processes() -> bytes:
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
