"""The documents of the jobs as one web process reads them: at most once a second."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.api.services import Services, latest, not_yet
from service.errors import HistoryArriving, ServiceUnavailable
from service.market.coverage import Coverage
from service.market.instants import DAY, HOUR, WorldClock
from service.store import bars, snapshots
from tests.api.opened import BODY, PATH, add_document
from tests.api.web import services


@pytest.fixture
def app(make_app, sqlite) -> Flask:
    app = make_app(sqlite)
    add_document(app, sqlite)
    return app


@pytest.mark.parametrize("seconds", [1, -3600])
def test_a_new_document_is_seen_within_a_second_under_a_new_tag(client: FlaskClient, sqlite, wall, seconds: int):
    """Also where the clock is set back."""
    before = client.get(PATH)
    with sqlite.writing() as db:
        snapshots.publish(db, 2, {"document": b"{}"})
    assert client.get(PATH).data == BODY
    wall.time += seconds
    after = client.get(PATH, headers={"If-None-Match": before.headers["ETag"]})
    assert (after.status_code, after.data) == (200, b"{}")


def test_a_document_that_does_not_exist_yet_is_unavailable(app: Flask):
    with app.test_request_context(), pytest.raises(ServiceUnavailable):
        latest("another")


NOW = 1_763_985_600
START = NOW - 240 * DAY
UNUSED_COVERAGE = Coverage(START, NOW)


@pytest.fixture
def live(sqlite) -> Services:
    return services(sqlite, now=lambda: NOW, clock=WorldClock("live"))


def keep(sqlite, change, step=300, asset="btc"):
    with sqlite.writing() as db:
        bars.change_coverage(db, asset, step, UNUSED_COVERAGE, change)
        bars.change_coverage(db, asset, {300: HOUR, HOUR: 300}[step], UNUSED_COVERAGE, lambda coverage: coverage)


def test_before_the_first_bar_the_time_is_a_guess(live: Services):
    """Nothing was fetched yet."""
    reason = not_yet(live)
    assert isinstance(reason, HistoryArriving)
    assert (reason.detail, reason.retry_after_s) == ("The price history is arriving: about 37 s left.", 37)


def test_the_slowest_asset_counts(live: Services, sqlite):
    """The others wait for it."""
    for asset, took_s in (("btc", 1.0), ("eth", 10.0)):
        keep(sqlite, lambda first: first.answered((NOW - 2 * DAY, NOW), NOW, "a"), asset=asset)
        span = (NOW - 62 * DAY, NOW - 2 * DAY)
        keep(sqlite, lambda first, span=span, took_s=took_s: first.answered(span, NOW, "a", took_s), HOUR, asset)
    assert not_yet(live).retry_after_s == round(178 / 60 * 10) + 12


def test_a_source_that_fails_is_named_instead_of_a_time(live: Services, sqlite):
    """From the first failure on: before, 37 s were left for five minutes. After these the history arrives no longer."""
    keep(sqlite, lambda first: first.failed("kraken: it could not be reached", NOW))
    reason = not_yet(live)
    assert isinstance(reason, HistoryArriving)
    assert reason.detail.startswith("The price history does not arrive: kraken: it could not be reached. The service")
    reason = not_yet(replace(live, now=lambda: NOW + 400))
    assert not isinstance(reason, HistoryArriving)
    assert reason.detail == "The price history cannot be completed: kraken: it could not be reached."


def test_too_short_a_history_is_said_with_what_is_needed(live: Services, sqlite):
    """Where no source has more, the voters cannot be fitted for weeks: nobody is told to try again in seconds."""
    since = NOW - 20 * DAY
    keep(sqlite, lambda first: first.answered((since, NOW), NOW, "a").exhausted(since, NOW))
    keep(sqlite, lambda first: first.exhausted(since, NOW), HOUR)
    reason = not_yet(live)
    assert reason.detail == "The voters need 22 days of hourly prices; 20 are stored, and no source has more."
    assert reason.retry_after_s == HOUR


def test_with_history_the_first_forecasts_are_being_made(live: Services, sqlite):
    """It is no longer history that is waited for; in other worlds it never is."""
    keep(sqlite, lambda first: first.answered((START, NOW), NOW, "a"))
    reason = not_yet(live)
    assert type(reason) is ServiceUnavailable
    assert reason.detail.startswith("The price history is here")
    simulated = replace(live, clock=WorldClock("simulated"))
    assert not_yet(simulated).detail.startswith("It is being computed for the first time")
