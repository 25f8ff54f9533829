"""Stored headlines as inputs of the news seat: for the fit, and for every context."""

from __future__ import annotations

import numpy as np
import pytest

from service.forecasting.news.pulse import score_at
from service.forecasting.news.stories import read, stories
from service.forecasting.voters.inputs import HEADLINES
from service.jobs import children, news, news_inputs
from service.jobs.forecast import refit
from service.market.instants import DAY, HOUR
from service.store import headlines
from service.store.plain import contexts
from tests.forecasting.news.made import NOON, titled
from tests.jobs.contexts import context_of

MINUTES = 300  # a bar of the simulated market


def keep(database, *days: float) -> None:
    """Headlines that rise about bitcoin, so many days before NOON."""
    with database.writing() as db:
        headlines.add(db, read([titled(f"Bitcoin surges w{day}", int(NOON - day * DAY)) for day in days]))


@pytest.mark.parametrize(("oldest", "hours"), [(29.9, 0), (30, 1), (30.5, 13), (60, 25)])
def test_inputs_begin_thirty_days_after_the_first_stored_headline(database, oldest, hours):
    keep(database, oldest, 1, 0.5)
    tracks = news_inputs.tracks(context_of(database), NOON - DAY, NOON)
    assert (len(tracks["btc"].inputs["news_level"]) if tracks else 0) == hours


def test_an_empty_store_has_no_inputs(database):
    assert news_inputs.tracks(context_of(database), NOON - DAY, NOON) == {}


def test_a_refit_learns_from_a_year_of_stored_headlines(database, monkeypatch):
    """Up to its slot; the month is fitted to what came before it."""
    keep(database, 100, 40, 3)
    learnt = []
    monkeypatch.setattr(children, "call", lambda _fit, _hourly, slot, tracks: learnt.append((slot, tracks)))
    with pytest.raises(AttributeError):  # there are no bars, so nothing is fitted
        refit(context_of(database), NOON)
    ((_, tracks),) = learnt
    assert tracks["btc"].since == NOON - 70 * DAY
    assert tracks["btc"].since + (len(tracks["btc"].inputs["news_level"]) - 1) * HOUR == NOON


def test_contexts_hold_the_scores_of_stored_headlines(house):
    """After a first start with a backfilled past, at the next bar: the scores of an hour before its last full hour."""
    house.move(MINUTES)
    with house.runtime.database.reading() as db:
        observed = contexts.every(db)
        stored = headlines.since(db, 0)
    for asset, context in observed.items():
        assert None not in [context["inputs"][name] for name in HEADLINES]
        own = stories(each for each in stories(stored) if asset in each.assets)
        hour = max(state["as_of"] for state in observed.values())
        assert context["inputs"]["news_level"] == pytest.approx(score_at(own, hour - HOUR)[0])
    assert np.any([context["inputs"]["news_level"] for context in observed.values()])


def test_headlines_are_kept_for_200_days(house):
    database, slot = house.runtime.database, house.runtime.world.clock.at(house.wall) // HOUR * HOUR
    with database.writing() as db:
        headlines.add(db, read([titled("Bitcoin old", slot - 199 * DAY), titled("Bitcoin older", slot - 201 * DAY)]))
    effects = news.read_news(house.engine.job_context, slot)
    with database.writing() as db:
        effects(db)
        assert headlines.since(db, 0)[0].headline.title == "Bitcoin old"
