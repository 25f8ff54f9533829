"""What a request reads: contexts beside the last prices, the newest fits, the track record."""

from __future__ import annotations

import shutil
from dataclasses import replace
from hashlib import sha256

import pytest
from sqlalchemy import Connection

from service.forecasting.densities.density import VERSION, CalendarFit, Fits, ModelFit
from service.forecasting.densities.season import WEEK, Season
from service.forecasting.news.headline import ScoredHeadline, headline, read
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.commitments import VoteInputs
from service.forecasting.voters.context import Context, Evidence, Knowledge, PastQuestion, ScheduledEvent
from service.forecasting.voters.panel import VOTERS, Embedded
from service.forecasting.voters.track_record import BandRecord, Standing, TrackRecord
from service.market.bars import from_rows
from service.market.instants import DAY, HOUR, MINUTE, utc
from service.questions.question import Question
from service.store import bars, knowledge, predictions
from service.store.database import Database
from service.store.pages import RECORD, PageKey, contexts, fits, records
from tests.forecasting.made import panel_of, titled
from tests.forecasting.markets import MONDAY, settled, waiting

STEP = 5 * MINUTE
NOON = 1_763_985_600  # Monday 2025-11-24T12:00:00Z
SIZES = ((0.0, 1.5, 2.5),)
FIT = CalendarFit(Season((1.0,) * WEEK), {"garch": ModelFit(("garch",), ((0.0, 0.9),), *(SIZES,) * 3)})
TRACK_RECORD = TrackRecord(NOON, {"day": BandRecord((Standing("news", "openai:x", 40, 5, 1.25, 0.01, -0.02, 0.04),))})


def context(asset: str = "btc", spot: float = 100.0, as_of: int = NOON) -> Context:
    return Context(asset, as_of, spot, 200.0, 1e-5, 2e-5, {"vol_ratio_180d": 0.1, "vol_ratio_12h": None}, {"eth": 0.8})


def fitted(slot: int = NOON, version: str = VERSION) -> Fits:
    return Fits(version, slot, {"always": FIT})


def observe(database, *states: Context) -> None:
    """Store contexts, and bars of their assets of which the last is complete ten minutes later."""
    rows = [(NOON - STEP, 99, 99, 99, 99, 1), (NOON + STEP, 101, 101, 101, 101, 1)]
    with database.writing() as db:
        for state in states:
            contexts.save(db, state.asset, state.to_plain(), as_of=state.as_of)
            bars.add_bars(db, state.asset, from_rows(rows, STEP))


def refit(database, slot: int = NOON, version: str = VERSION) -> None:
    with database.writing() as db:
        fits.save(db, slot, fitted(slot, version).to_plain())


def newest_fits(database) -> Fits | None:
    with database.reading() as db:
        return knowledge.newest_fits(database, db)


def test_fits_and_record_are_those_stored_last(database):
    """At the beginning nothing is known."""
    assert knowledge.latest_knowledge(database, STEP) == Knowledge({}, None, TrackRecord())
    refit(database)
    with database.writing() as db:
        records.save(db, RECORD, TRACK_RECORD.to_plain(), as_of=NOON)
    latest = knowledge.latest_knowledge(database, STEP)
    assert (latest.fits, latest.record) == (fitted(), TRACK_RECORD)


def test_a_context_stands_beside_the_newest_price(database):
    """Its inputs are those of the last full hour; price and instant are those of the last bar."""
    observe(database, context(), context("eth", 50.0))
    latest = knowledge.latest_knowledge(database, STEP)
    assert latest.contexts["btc"] == replace(context(), spot=101.0, as_of=NOON + 2 * STEP)
    assert latest.spots == {"btc": 101.0, "eth": 101.0}


def test_an_old_context_keeps_its_own_price_and_age(database):
    """A fresh price must not hide that the inputs are no longer renewed."""
    observe(database, context(as_of=NOON - 7 * HOUR))
    assert knowledge.latest_knowledge(database, STEP).contexts["btc"] == context(as_of=NOON - 7 * HOUR)


def test_newer_fits_are_used_as_soon_as_they_are_stored(database):
    """And older ones that come late are not. They are read once while they are the newest."""
    for slot, newest in ((NOON, NOON), (NOON + DAY, NOON + DAY), (NOON - DAY, NOON + DAY)):
        refit(database, slot)
        assert newest_fits(database).slot == newest
    assert newest_fits(database) is newest_fits(database)


@pytest.mark.parametrize("version", ["fits/0", ""])
def test_fits_of_another_version_are_ignored(database, version):
    refit(database, version=version)
    assert newest_fits(database) is None
    refit(database, NOON + HOUR)
    assert newest_fits(database) == fitted(NOON + HOUR)


def test_two_databases_have_fits_of_their_own(database, tmp_path, migrated_sqlite):
    """The cache of one database is not used for another."""
    other = Database(f"sqlite:///{shutil.copy(migrated_sqlite, tmp_path / 'other.sqlite')}")
    refit(database)
    with other.writing() as db:
        fits.save(db, NOON, replace(fitted(), calendars={}).to_plain())
    assert newest_fits(database).calendars == {"always": FIT}
    assert newest_fits(other).calendars == {}
    other.close()


QUESTION = Question("Up?", "btc", "up", utc(NOON + DAY), 24.0, 100.0, "bull")
CONTEXTS = {asset: context(asset) for asset in ("btc", "eth")}
KNOWLEDGE = Knowledge(CONTEXTS)
MODELS = panel_of([*VOTERS, Embedded("vol", "brain", "custom:model")])


def gather(database, now: int = NOON, basis: Knowledge = KNOWLEDGE) -> Evidence:
    return knowledge.with_evidence(database, MODELS, basis, QUESTION, now).evidence


@pytest.fixture
def input_db(database):
    """200 days of hourly bars until a day after NOON, headlines around it, and two resolved markets."""
    rows = [(NOON + hour * HOUR, 100, 100, 100, 100, 1) for hour in range(-200 * 24, 24)]
    fields = {"opened": NOON - 3 * DAY, "votes": {"vol": 0.4, "garch": 0.9}}
    markets = [
        settled("yes", "yes", **fields),
        settled("no", "no", **fields, comparator="touch_above"),
        settled("late", "yes", **fields, resolved=NOON + 1),
        settled("void", "void", **fields),
        settled("open", "yes", **fields, comparator="open"),
        settled("unvoted", "yes", opened=NOON - 3 * DAY, votes={"garch": 0.9}),
    ]
    with database.writing() as db:
        for asset in CONTEXTS:
            bars.add_bars(db, asset, from_rows(rows, HOUR))
        knowledge.add_headlines(db, read([titled("Bitcoin climbs", NOON - HOUR), titled("Bitcoin later", NOON + 1)]))
        predictions.add_predictions(db, markets)
    return database


def test_nothing_after_the_question_is_read(input_db):
    """Its assets have 180 days and others 30, and a day more, so that the oldest hours are whole."""
    evidence = gather(input_db)
    spans = {asset: (series.as_of, len(series)) for asset, series in evidence.hourly.items()}
    assert spans == {"btc": (NOON, 181 * 24), "eth": (NOON, 32 * 24)}
    assert evidence.variance == {"btc": 2e-5, "eth": 2e-5}
    titles = {asset: [story.title for story in news.stories] for asset, news in evidence.news.items()}
    assert titles == {"btc": ["Bitcoin climbs"]}


def test_resolved_questions_have_the_vote_of_plain_volatility(input_db):
    """Void ones, questions without an event or without that vote, and later outcomes do not count; nor do answers."""
    assert sorted(gather(input_db).past_questions, key=lambda past: past.is_yes) == [
        PastQuestion("touch_above", False, 24, 0.4, False),
        PastQuestion("up", False, 24, 0.4, True),
    ]


def test_a_bar_that_came_late_is_shown(input_db):
    """Bars are read once for all questions between two bars, and again when the contexts know a later one."""
    later = NOON + DAY
    by_asset = {asset: replace(state, as_of=later) for asset, state in CONTEXTS.items()}
    assert gather(input_db, later + HOUR, Knowledge(by_asset)).hourly["btc"].as_of == later
    with input_db.writing() as db:
        bars.add_bars(db, "btc", from_rows([(later, 100, 100, 100, 101, 1)], HOUR))
    by_asset |= {"btc": replace(by_asset["btc"], as_of=later + HOUR)}
    assert gather(input_db, later + HOUR, Knowledge(by_asset)).hourly["btc"].close[-1] == 101


def test_a_question_that_resolved_meanwhile_is_shown(input_db):
    before = gather(input_db).past_questions
    with input_db.writing() as db:
        predictions.add_predictions(db, [settled("new", "yes", opened=NOON - 3 * DAY, votes={"vol": 0.6})])
    after = gather(input_db).past_questions
    assert set(after) - set(before) == {PastQuestion("up", False, 24, 0.6, True)}
    assert len(after) == len(before) + 1


def test_embedded_voters_cost_no_reading(database):
    """Without a database the knowledge is the same; an empty one has no evidence."""
    assert knowledge.with_evidence(None, panel_of(), KNOWLEDGE, QUESTION, NOON) is KNOWLEDGE
    evidence = gather(database)
    assert (dict(evidence.hourly), evidence.past_questions, evidence.news["btc"].stories) == ({}, (), ())


def test_a_topic_has_matching_headlines_and_events_alone(input_db):
    """No bars, no news of an asset, no resolved questions; the events lie between the question and its deadline."""
    topic = replace(QUESTION, text="Will Bitcoin climbs be banned?", comparator="topic", polarity="none")
    events = tuple(ScheduledEvent(at, "x") for at in (NOON - 1, NOON, NOON + DAY, NOON + DAY + 1))
    panel = replace(MODELS, events=events)
    evidence = knowledge.with_evidence(input_db, panel, KNOWLEDGE, topic, NOON).evidence
    assert [story.title for story in evidence.topic_stories] == ["Bitcoin climbs"]
    assert evidence == Evidence(topic_stories=evidence.topic_stories, events=events[1:3])


def voted(inputs: str | None = "{}", at: int = MONDAY, asset: str = "btc") -> Prediction:
    """A market with votes that were cast from these inputs."""
    market = waiting(f"{asset}-{at}", opened=at, asset=asset)
    features = sha256((inputs or "").encode()).hexdigest()
    assert market.commitment
    return replace(market, commitment=replace(market.commitment, features=features, inputs=inputs))


def row(inputs: str = "{}", at: int = MONDAY, asset: str = "btc") -> VoteInputs:
    return VoteInputs(sha256(inputs.encode()).hexdigest(), at, asset, inputs)


def page(db: Connection, asset=None, since=0, until=2**40, limit=99, after=None) -> list[VoteInputs]:
    return knowledge.vote_inputs_page(db, asset, since, until, limit, after)


def test_inputs_that_votes_share_are_stored_once(db):
    """With the instant of the first vote, whichever is stored first within a batch.

    Votes store nothing whose inputs were read from the store, nor do predictions without votes.
    """
    knowledge.add_vote_inputs(db, [voted(None), replace(voted(), commitment=None)])
    assert page(db) == []
    knowledge.add_vote_inputs(db, [voted(at=MONDAY + 300), voted(), voted('{"fits":null}')])
    knowledge.add_vote_inputs(db, [voted(at=MONDAY + 600), voted()])
    assert page(db) == sorted([row(), row('{"fits":null}')])
    assert knowledge.find_vote_inputs(db, row('{"fits":null}').hash) == row('{"fits":null}')
    assert knowledge.find_vote_inputs(db, "0" * 64) is None


def test_pages_join_to_the_whole(db):
    """In order of the votes; at one instant in order of the hash."""
    markets = [voted(f'{{"n":{n}}}', MONDAY + n // 4, ("btc", "eth")[n % 2]) for n in range(12)]
    knowledge.add_vote_inputs(db, markets)
    rows = page(db)
    assert rows == sorted(rows, key=lambda item: (item.voted_at, item.hash))
    walk: list[VoteInputs] = []
    after = None
    while part := page(db, limit=5, after=after):
        walk, after = walk + part, PageKey(part[-1].voted_at, part[-1].hash)
    assert (walk, len(walk)) == (rows, 12)
    assert page(db, asset="eth") == [item for item in rows if item.asset == "eth"]
    assert page(db, since=MONDAY + 1, until=MONDAY + 1) == rows[4:8]


@pytest.mark.parametrize("asset", [None, "eth"])
@pytest.mark.parametrize("after", [None, PageKey(MONDAY, "0" * 64)])
def test_a_page_follows_an_index(plan_of, asset: str | None, after: PageKey | None):
    """So the last page costs what the first one costs."""
    plan = plan_of(knowledge.vote_inputs_query(asset, MONDAY, MONDAY + 9, after).limit(9))
    assert f"USING INDEX ix_vote_input_{'asset_' if asset else ''}voted_at_hash" in plan
    assert "TEMP B-TREE" not in plan


def scored(title: str = "Bitcoin rises", at: int = 1000, score: float = 0.1 + 0.2, **fields) -> ScoredHeadline:
    fields = {"url": "https://example.com/1", "simulated": False} | fields
    return ScoredHeadline(headline(title, "The Desk", at, **fields), score, ("btc", "gold"))


@pytest.mark.parametrize("fields", [{}, {"url": None}, {"simulated": True}, {"title": "Bitcoin fällt — ₿ \U0001f4c9"}])
def test_a_headline_comes_back_as_it_went_in(db, fields):
    knowledge.add_headlines(db, [scored(**fields)])
    assert knowledge.headlines_since(db, 0) == [scored(**fields)]


def test_a_stored_headline_is_never_replaced(db):
    """The same headline in another batch, or twice in one, changes nothing."""
    knowledge.add_headlines(db, [scored()])
    knowledge.add_headlines(db, [scored(at=2000, score=-1.0), scored("Gold falls"), scored("Gold falls", score=0.9)])
    expected = sorted([scored(), scored("Gold falls")], key=lambda item: item.headline.id)
    assert knowledge.headlines_since(db, 0) == expected


def test_headlines_since_an_instant_come_oldest_first(db):
    """Pruning deletes everything before one."""
    assert knowledge.last_headline_at(db) is None
    knowledge.add_headlines(db, [scored(f"Story {at}", at) for at in (3000, 1000, 2000)])
    instants = [[item.headline.published_at for item in knowledge.headlines_since(db, at)] for at in (0, 2000, 3001)]
    assert instants == [[1000, 2000, 3000], [2000, 3000], []]
    assert knowledge.last_headline_at(db) == 3000
    knowledge.prune_headlines(db, 2000)
    assert [item.headline.published_at for item in knowledge.headlines_since(db, 0)] == [2000, 3000]


def test_the_newest_headlines_continue_after_a_key(db):
    knowledge.add_headlines(db, [scored(f"Story {n}", 1000 + n // 3) for n in range(9)])
    first = knowledge.newest_headlines(db, 1001, 1002, 4)
    last = first[-1].headline
    rest = knowledge.newest_headlines(db, 1001, 1002, 9, PageKey(last.published_at, last.id))
    assert [*first, *rest] == knowledge.headlines_since(db, 1001)[::-1]
