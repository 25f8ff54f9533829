"""Gauges for a scraper, read from the database when they are asked for, so that every web process shows the same."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily
from sqlalchemy import Connection

from service.api.services import Services
from service.market.assets import ASSETS
from service.market.instants import iso
from service.store import bars, ledger, reservations, runs, webhooks
from service.store.knowledge import newest_fits
from service.store.spending import spent_on


class StateGauges:
    """A collector for prometheus_client of what jobs, ledger, webhooks and quotas have stored by now."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Every gauge, with a sample for each job or state that there is; raises what the database raises."""
        with self._services.database.reading() as db:
            yield from self._of_jobs(db)
            yield from self._of_ages(db)
            yield from _of_ledger(db)
            yield from self._of_webhooks(db)
            yield from self._of_models(db)
            yield self._of_connections(db)
            yield _gauge("reserved_charges", "Charges of requests without an answer yet.", reservations.count(db))

    def _of_jobs(self, db: Connection) -> Iterator[GaugeMetricFamily]:
        now = self._services.now()
        lag = GaugeMetricFamily("ninefold_job_lag_seconds", "Seconds for which a job has been due.", labels=["job"])
        duration = GaugeMetricFamily("ninefold_job_duration_seconds", "Seconds of its last run.", labels=["job"])
        failures = GaugeMetricFamily("ninefold_job_failures", "Failed attempts in the last 7 days.", labels=["job"])
        for progress in runs.progress(db, now):
            lag.add_metric([progress.job], progress.lag_s)
            failures.add_metric([progress.job], progress.failures)
            if progress.duration_s is not None:
                duration.add_metric([progress.job], progress.duration_s)
        yield from (lag, duration, failures)
        yield _gauge("jobs_queued", "Slots of jobs that could run and are not running.", runs.queued(db, now))

    def _of_ages(self, db: Connection) -> Iterator[GaugeMetricFamily]:
        """The ages of the newest bar and of the fits in seconds of world time; none before the first."""
        services = self._services
        now = services.clock.at(services.now())
        openings = [bar.time for asset in ASSETS if (bar := bars.last(db, asset, services.step))]
        if openings:
            age = now - max(openings) - services.step
            yield _gauge("bar_age_seconds", "World seconds since the end of the newest bar.", age)
        if fits := newest_fits(services.database, db):
            yield _gauge("fit_age_seconds", "World seconds since the bars of the voters' fits.", now - fits.slot)

    def _of_models(self, db: Connection) -> Iterator[GaugeMetricFamily]:
        """What language models cost since 00:00 UTC, and the limits where there are some."""
        settings = self._services.settings
        tokens, usd = spent_on(db, iso(int(self._services.now()))[:10])
        yield _gauge("model_tokens_today", "Tokens of language models since 00:00 UTC, with calls under way.", tokens)
        yield _gauge("model_usd_today", "USD since 00:00 UTC, of models with a known price, with calls under way.", usd)
        if settings.oracle_daily_tokens is not None:
            yield _gauge("model_tokens_limit", "Tokens allowed in a day.", settings.oracle_daily_tokens)
        if settings.oracle_daily_usd is not None:
            yield _gauge("model_usd_limit", "USD allowed in a day.", settings.oracle_daily_usd)

    def _of_connections(self, db: Connection) -> GaugeMetricFamily:
        connections = GaugeMetricFamily(
            "ninefold_database_connections",
            "Connections to the database by state: of all processes, on SQLite of this one.",
            labels=["state"],
        )
        for state, count in self._services.database.connections(db).items():
            connections.add_metric([state], count)
        return connections

    def _of_webhooks(self, db: Connection) -> Iterator[GaugeMetricFamily]:
        due = len(webhooks.due(db, self._services.now()))
        yield _gauge("webhooks_queued", "Webhook endpoints with events to deliver now.", due)
        deliveries = GaugeMetricFamily(
            "ninefold_webhook_deliveries", "Webhook messages of the last 30 days by state.", labels=["state"]
        )
        for state, count in webhooks.count_deliveries(db).items():
            deliveries.add_metric([state], count)
        yield deliveries


def _of_ledger(db: Connection) -> Iterator[GaugeMetricFamily]:
    last, root = ledger.last_seq(db), ledger.last_root(db)
    yield _gauge("ledger_rows", "Rows of the ledger.", last)
    yield _gauge("ledger_unsealed_rows", "Rows after the last signed root.", last - (root.last_seq if root else 0))


def _gauge(name: str, description: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"ninefold_{name}", description, value=value)
