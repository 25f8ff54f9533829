"""The evidence for language models: what was stored at the question's instant, read only where a model votes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.forecasting.news.headline import read
from service.forecasting.voters.context import Context, Knowledge
from service.forecasting.voters.embedded import Embedded, voters
from service.forecasting.voters.evidence import Evidence, PastQuestion, ScheduledEvent
from service.market.bars import from_rows
from service.market.instants import DAY, HOUR, utc
from service.questions.question import Question
from service.store import bars, knowledge, predictions
from tests.forecasting.made import NOON, panel_of, titled
from tests.forecasting.markets import settled

QUESTION = Question("Up?", "btc", "up", utc(NOON + DAY), 24.0, 100.0, "bull")
CONTEXTS = {asset: Context(asset, NOON, 100.0, 200.0, 1e-5, 2e-5, {}, {}) for asset in ("btc", "eth")}
KNOWLEDGE = Knowledge(CONTEXTS)
MODELS = panel_of([*voters(), Embedded("vol", "brain", "custom:model")])


def gather(database, now: int = NOON, basis: Knowledge = KNOWLEDGE) -> Evidence:
    return knowledge.with_evidence(database, MODELS, basis, QUESTION, now).evidence


@pytest.fixture
def filled(database):
    """200 days of hourly bars until a day after NOON, headlines around it, and two resolved markets."""
    rows = [(NOON + hour * HOUR, 100, 100, 100, 100, 1) for hour in range(-200 * 24, 24)]
    with database.writing() as db:
        for asset in CONTEXTS:
            bars.add_bars(db, asset, from_rows(rows, HOUR))
        knowledge.add_headlines(db, read([titled("Bitcoin climbs", NOON - HOUR), titled("Bitcoin later", NOON + 1)]))
        opened = {"opened": NOON - 3 * DAY, "votes": {"vol": 0.4, "garch": 0.9}}
        predictions.add_predictions(
            db,
            [
                settled("yes", "yes", **opened),
                settled("no", "no", **opened, comparator="touch_above"),
                settled("late", "yes", **opened, resolved=NOON + 1),
                settled("void", "void", **opened),
                settled("open", "yes", **opened, comparator="open"),
                settled("unvoted", "yes", opened=NOON - 3 * DAY, votes={"garch": 0.9}),
            ],
        )
    return database


def test_nothing_after_the_question_is_read(filled):
    shown = gather(filled)
    assert {asset: series.as_of for asset, series in shown.hourly.items()} == {"btc": NOON, "eth": NOON}
    assert [story.title for story in shown.news["btc"].stories] == ["Bitcoin climbs"]


def test_the_assets_of_the_question_have_180_days_and_others_30(filled):
    """And a day more, so that the oldest hours are whole."""
    shown = gather(filled)
    assert {asset: len(series) for asset, series in shown.hourly.items()} == {"btc": 181 * 24, "eth": 32 * 24}
    assert shown.variance == {"btc": 2e-5, "eth": 2e-5}
    assert set(shown.news) == {"btc"}


def test_resolved_questions_have_the_vote_of_plain_volatility(filled):
    """Void ones, questions without an event or without that vote, and later outcomes do not count; nor do answers."""
    assert sorted(gather(filled).resolved, key=lambda past: past.happened) == [
        PastQuestion("touch_above", False, 24, 0.4, False),
        PastQuestion("up", False, 24, 0.4, True),
    ]


def test_a_bar_that_came_late_is_shown(filled):
    """Bars are read once for all questions between two bars, and again when the contexts know a later one."""
    later, late = NOON + DAY, from_rows([(NOON + DAY, 100, 100, 100, 101, 1)], HOUR)
    contexts = {asset: replace(context, as_of=later) for asset, context in CONTEXTS.items()}
    assert gather(filled, later + HOUR, Knowledge(contexts)).hourly["btc"].as_of == later
    with filled.writing() as db:
        bars.add_bars(db, "btc", late)
    contexts |= {"btc": replace(contexts["btc"], as_of=later + HOUR)}
    assert gather(filled, later + HOUR, Knowledge(contexts)).hourly["btc"].close[-1] == 101


def test_a_question_that_resolved_meanwhile_is_shown(filled):
    before = gather(filled).resolved
    with filled.writing() as db:
        predictions.add_predictions(db, [settled("new", "yes", opened=NOON - 3 * DAY, votes={"vol": 0.6})])
    after = gather(filled).resolved
    assert set(after) - set(before) == {PastQuestion("up", False, 24, 0.6, True)}
    assert len(after) == len(before) + 1


def test_embedded_voters_cost_no_reading():
    """Without a database the knowledge is the same."""
    assert knowledge.with_evidence(None, panel_of(), KNOWLEDGE, QUESTION, NOON) is KNOWLEDGE


def test_an_empty_store_has_no_evidence(database):
    shown = gather(database)
    assert (dict(shown.hourly), shown.resolved, shown.news["btc"].stories) == ({}, (), ())


def test_a_topic_has_matching_headlines_and_events_alone(filled):
    """No bars, no news of an asset, no resolved questions; the events lie between the question and its deadline."""
    topic = replace(QUESTION, text="Will Bitcoin climbs be banned?", comparator="topic", polarity="none")
    events = tuple(ScheduledEvent(at, "x") for at in (NOON - 1, NOON, NOON + DAY, NOON + DAY + 1))
    panel = replace(MODELS, events=events)
    shown = knowledge.with_evidence(filled, panel, KNOWLEDGE, topic, NOON).evidence
    assert [story.title for story in shown.topic_stories] == ["Bitcoin climbs"]
    assert shown == Evidence(topic_stories=shown.topic_stories, events=events[1:3])
