"""Metrics for a scraper: requests, votes, and what is stored. They contain no key, address or question.

Counts belong to one process. Where PROMETHEUS_MULTIPROC_DIR names a folder, as it does in the processes of
`app.py web`, the library sums over them. What jobs did is read from the database: see `StateGauges`.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import structlog
from flask import Flask
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from service import logs
from service.access.quota import shortened
from service.api.auth import KEY_ID_ENVIRON
from service.api.services import Services
from service.ledger.witness import WitnessDocument
from service.market.assets import ASSETS
from service.market.instants import iso, unix
from service.store import bars, ledger, notifications, quotas, world
from service.store.audit import latest_audit
from service.store.knowledge import newest_fits
from service.store.quotas import spent_on
from service.store.snapshots import WITNESS, find_document

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

log = structlog.stdlib.get_logger(__name__)

MEDIA_TYPE = CONTENT_TYPE_LATEST
METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})

READY = """\
# HELP ninefold_ready Whether /readyz says that the service can answer.
# TYPE ninefold_ready gauge
ninefold_ready {}
"""
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
    """Measure and log every request of `app` by wrapping it, which costs a third of what Flask's hooks cost."""
    inner = app.wsgi_app

    def wsgi_app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        began_at = perf_counter()

        def start(status: str, *rest: Any) -> Callable[[bytes], object]:
            rule, duration = environ["werkzeug.request"].url_rule, perf_counter() - began_at
            method, route = environ["REQUEST_METHOD"], rule.rule if rule else "none"
            seconds, requests = _counters(method, route, status[:3])
            seconds.observe(duration)
            requests.inc()
            if logs.ACCESS.isEnabledFor(logging.INFO):
                key, address = environ.get(KEY_ID_ENVIRON), shortened(environ.get("REMOTE_ADDR"))
                fields = {"method": method, "route": route, "status": int(status[:3]), "key": key, "address": address}
                structlog.stdlib.get_logger(logs.ACCESS.name).info("request", ms=round(duration * 1000, 1), **fields)
            return start_response(status, *rest)

        return inner(environ, start)

    app.wsgi_app = wsgi_app


def exposition(services: Services, *, is_ready: bool) -> bytes:
    """All metrics in the text format of Prometheus; without what is stored while the database does not answer."""
    counts = CollectorRegistry()
    try:
        MultiProcessCollector(counts)
    except ValueError:  # no folder is set: a single process
        counts = REGISTRY
    text = generate_latest(counts) + READY.format(int(is_ready)).encode()
    try:
        return text + generate_latest(StateGauges(services))
    except SQLAlchemyError as error:
        log.warning("gauges_unavailable", error=type(error).__name__)
        return text


@lru_cache(maxsize=1024)
def _counters(method: str, route: str, status: str) -> tuple[Histogram, Counter]:
    # Labels come from our own routes and a fixed set of methods, so a caller cannot create new ones.
    method = method if method in METHODS else "other"
    return SECONDS.labels(method, route), REQUESTS.labels(method, route, status)


Gauge = tuple[str, str, float | Mapping[Any, float] | None, str]  # name, description, value and label


@dataclass(eq=False)
class StateGauges(Collector):
    """A collector for prometheus_client of what jobs, ledger, webhooks and quotas have stored by now.

    A gauge has its value, or one for each value of its label; there is none where the value is None.
    """

    services: Services

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Every gauge, with a sample for each job or state that there is; raises what the database raises."""
        with self.services.database.reading() as db:
            for gauges in (_of_jobs, _of_ages, _of_ledger, _of_witness, _of_webhooks, _of_models, _of_database):
                for name, description, value, label in gauges(self.services, db):
                    if isinstance(value, Mapping):
                        gauge = GaugeMetricFamily(f"ninefold_{name}", description, labels=[label])
                        for place, number in value.items():
                            gauge.add_metric([place], number)
                        yield gauge
                    elif value is not None:
                        yield GaugeMetricFamily(f"ninefold_{name}", description, value=value)


def _of_jobs(services: Services, db: Connection) -> Iterator[Gauge]:
    now = services.now()
    states = services.job_states(db, now)
    lags = {job: state.lag_s for job, state in states.items()}
    durations = {job: state.duration_s for job, state in states.items() if state.duration_s is not None}
    failures = {job: state.failures for job, state in states.items()}
    queued = sum(state.newest.state == "due" and state.newest.next_at <= now for state in states.values())
    yield "job_lag_seconds", "Seconds for which a job has been due.", lags, "name"
    yield "job_duration_seconds", "Seconds of its last run.", durations, "name"
    yield "job_failures", "Failed attempts in the last 7 days.", failures, "name"
    yield "jobs_silent_seconds", "Seconds since a job process looked what is due.", world.silence_s(db, now), ""
    yield "backup_age_seconds", "Seconds since the last backup.", world.silence_s(db, now, world.BACKUP), ""
    yield "jobs_queued", "Slots of jobs that could run and are not running.", queued, ""


def _of_ages(services: Services, db: Connection) -> Iterator[Gauge]:
    """The ages of the newest bar and of the fits in seconds of world time; none before the first."""
    now = services.world_now
    openings = [bar.time for bar in bars.last_bars(db, ASSETS, services.step).values()]
    fits = newest_fits(services.database, db)
    age = now - max(openings) - services.step if openings else None
    yield "bar_age_seconds", "World seconds since the end of the newest bar.", age, ""
    yield "fit_age_seconds", "World seconds since the bars of the voters' fits.", fits and now - fits.slot, ""


def _of_ledger(_services: Services, db: Connection) -> Iterator[Gauge]:
    last, root = ledger.last_seq(db), ledger.last_root(db)
    if audit := latest_audit(db):
        yield "audit_differences", "Places where the tables and the ledger do not agree.", audit.differences, ""
        yield "audit_time_seconds", "When the last audit was made, in unix seconds.", audit.at, ""
    yield "ledger_rows", "Rows of the ledger.", last, ""
    yield "ledger_unsealed_rows", "Rows after the last signed root.", last - (root.last_seq if root else 0), ""


def _of_witness(services: Services, db: Connection) -> Iterator[Gauge]:
    document = find_document(db, WITNESS, WitnessDocument) if services.settings.witness_of else None
    ledgers = document.ledgers if document else ()
    faults = {row.address: len(row.faults) for row in ledgers}
    ages = dict.fromkeys(services.settings.witness_of, math.inf)
    ages |= {row.address: services.now() - unix(row.reached_at) for row in ledgers if row.reached_at}
    yield "witness_faults", "Places where another ledger was forked or rewritten.", faults, "ledger"
    yield "witness_age_seconds", "Seconds since another ledger was read; infinite before.", ages, "ledger"


def _of_webhooks(services: Services, db: Connection) -> Iterator[Gauge]:
    due, deliveries = notifications.due_webhooks(db, services.now()), notifications.count_deliveries(db)
    yield "webhooks_queued", "Webhook endpoints with events to deliver now.", len(due), ""
    yield "webhook_deliveries", "Webhook messages of the last 30 days by state.", deliveries, "state"


def _of_models(services: Services, db: Connection) -> Iterator[Gauge]:
    """What language models cost since 00:00 UTC, and the limits where there are some."""
    settings = services.settings
    tokens, usd = spent_on(db, iso(int(services.now()))[:10])
    yield "model_tokens_today", "Tokens of language models since 00:00 UTC, with calls under way.", tokens, ""
    yield "model_usd_today", "USD since 00:00 UTC, of models with a known price, with calls under way.", usd, ""
    yield "model_tokens_limit", "Tokens allowed in a day.", settings.oracle_daily_tokens, ""
    yield "model_usd_limit", "USD allowed in a day.", settings.oracle_daily_usd, ""


def _of_database(services: Services, db: Connection) -> Iterator[Gauge]:
    words = "Connections to the database by state: of all processes, on SQLite of this one."
    yield "database_connections", words, services.database.connections(db), "state"
    yield "database_damaged", "Whether pages of the database are damaged.", bool(services.database.damage), ""
    yield "reserved_charges", "Charges of requests without an answer yet.", quotas.count_reservations(db), ""
