"""Outside markets and news of the live world: as fresh as long as their source answers, settled by it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from service.forecasting.predictions import Prediction, Settlement
from service.jobs import imported, prices
from service.jobs.committing import withdraw_texts
from service.ledger.commitments import text_hash
from service.ledger.verifier import verify
from service.market.instants import DAY, HOUR, MINUTE, iso
from service.sources.odds import source
from service.store import audit, bars, ledger, predictions
from tests.jobs.live import (
    BIG,
    HEADLINES,
    SLOT,
    an_hour_later,
    answering,
    do,
    gamma_over,
    gamma_row,
    kalshi_row,
    level,
    printing,
    rss,
)
from tests.jobs.track_record import document
from tests.running_service import START, RunningService, copied, running_service
from tests.sources.faults import hang

pytestmark = pytest.mark.slow

FIVE = 5 * MINUTE
QUARTER = SLOT + 3 * FIVE  # 08:15
GAMMA_ID, TICKER = "polymarket-1500056", "kalshi-KXBTC-26NOV27-B1"


def imported_markets(service: RunningService) -> dict[str, dict]:
    markets = document(service, "predictions")["markets"]
    return {market["id"]: market for market in markets if market["category"] == "imported"}


def frozen(service: RunningService) -> dict[str, dict]:
    """The imported markets without what changes every hour."""
    now = dict.fromkeys(("context", "ai_now", "odds_now"))
    return {market_id: market | now for market_id, market in imported_markets(service).items()}


def stored(service: RunningService, market_id: str) -> Prediction:
    with service.runtime.database.reading() as db:
        return predictions.find_prediction(db, market_id)


def test_imported_markets_show_the_prices_of_now(live):
    """From the listing that is read every hour anyway; the votes and odds of the opening stay."""
    before = frozen(live)
    live.move(2 * HOUR)
    live.move(60)
    market = imported_markets(live)[GAMMA_ID]
    assert (market["market_odds"]["p_yes"], market["odds_now"]["p_yes"]) == (0.41, 0.41)
    assert market["odds_now"]["as_of"] == iso(SLOT + 2 * HOUR)
    assert market["ai_now"]["as_of"] == iso(SLOT + 2 * HOUR)
    assert frozen(live)[GAMMA_ID]["ai_votes"] == before[GAMMA_ID]["ai_votes"]


def test_in_the_live_world_only_its_past_is_backfilled(live):
    """What others ask is taken over at the first start, voted on and priced by them; the past has no odds."""
    page = document(live, "predictions")
    assert not any(market["backfilled"] for market in imported_markets(live).values())
    assert set(imported_markets(live)) == {GAMMA_ID, TICKER}
    for market in imported_markets(live).values():
        assert len(market["ai_votes"]) == 9
        assert market["created_at"] == iso(SLOT)
        assert market["commitment"]["seq"] > 0
    assert imported_markets(live)[GAMMA_ID]["market_odds"]["p_yes"] == 0.41
    assert not imported_markets(live)[GAMMA_ID]["market_odds"]["simulated"]
    assert page["sources"]["polymarket"] == f"odds (polymarket), read {iso(SLOT)}"
    assert page["sources"]["kalshi"] == f"odds (kalshi), read {iso(SLOT)}"
    assert all(market["market_odds"] is None for market in page["markets"] if market["category"] != "imported")


def test_the_voters_never_see_the_odds(live, live_data, world, tmp_path):
    """The same market at other odds gets the same votes to the last bit."""
    commitments = []
    for p in ("0.10", "0.90"):
        folder = copied(live_data, tmp_path / p)
        world.offers["polymarket"] = [gamma_row("7", share=0.95, day=27, p=p)]
        with running_service(folder, **world.options) as service:
            an_hour_later(service)
            prediction = stored(service, "polymarket-7")
            assert prediction.odds.p_yes == float(p)
            commitments.append(prediction.commitment)
    assert commitments[0] == commitments[1]


def test_an_imported_market_is_settled_as_its_source_settles_it(live, world):
    world.over = {
        "polymarket": [gamma_over("2026-11-21 08:20:00+00")],
        "kalshi": [kalshi_row(status="finalized", result="no", settlement_ts="2026-11-21T08:30:00Z")],
    }
    an_hour_later(live)
    at = SLOT + HOUR
    assert stored(live, GAMMA_ID).settlement == Settlement("yes", at, "Yes pays 1, No pays 0", "polymarket")
    assert stored(live, TICKER).settlement == Settlement("no", at, "settled as no", "kalshi")
    an_hour_later(live, 2)
    assert not imported_markets(live)
    with live.runtime.database.reading() as db:
        assert verify(ledger.export(db)).fault is None
        for market_id in (GAMMA_ID, TICKER):
            kinds = [row.kind for row in ledger.entries(db, 1, 100, subject=market_id)]
            assert kinds == ["votes", "odds", "resolution", "score"]


def test_the_words_of_an_outside_market_are_hashes_in_the_ledger(live):
    """They can be withdrawn; what the market asks stays in the words of this service."""
    market = stored(live, GAMMA_ID)
    with live.runtime.database.writing() as db:
        votes, quote = (row.body for row in ledger.entries(db, 1, 100, subject=GAMMA_ID))
        for texts, name, text in (
            (votes["question"], "text", market.question.text),
            (votes, "rule", market.rule),
            (quote, "url", market.odds.url),
        ):
            assert texts[name] == text_hash(text, market.salt)
        assert votes["question"]["canonical"] == market.question.canonical
        assert withdraw_texts(db, [GAMMA_ID], SLOT) == [GAMMA_ID]
        assert list(audit.differences(db)) == []
    market = stored(live, GAMMA_ID)
    assert (market.rule, market.odds.url) == ("As Polymarket settles it.", None)


def test_a_market_decided_before_its_import_is_void(live, world):
    world.over["polymarket"] = [gamma_over("2026-11-21 07:59:59+00")]
    an_hour_later(live)
    settlement = stored(live, GAMMA_ID).settlement
    assert (settlement.outcome, settlement.evidence) == ("void", "it was decided before it was imported")


@pytest.mark.parametrize(
    ("change", "outcome", "evidence"),
    [
        ({"question": f"Will Bitcoin be above ${level(1.02)} on November 25?"}, "yes", "Yes pays 1, No pays 0"),
        ({"endDate": "2026-11-24T08:00:00Z"}, "yes", "Yes pays 1, No pays 0"),
        ({"outcomes": ["Yes", "No"], "outcomePrices": ["0", "1"]}, "no", "Yes pays 0, No pays 1"),
        ({"outcomePrices": '["0.5", "0.5"]'}, "void", "Yes pays 0.5, No pays 0.5"),
        (
            {"endDate": "2026-12-25T17:00:00Z"},
            "void",
            "its end was moved to 2026-12-25T17:00:00Z after it was imported",
        ),
        (
            {"question": f"Will the price of Bitcoin be above ${level(1.05)} on November 25?"},
            "void",
            "it asks something else since it was imported",
        ),
    ],
)
def test_a_market_is_settled_as_what_was_imported(live, world, change, outcome, evidence):
    """Void with the reason where its source settles something else, or neither side."""
    world.over["polymarket"] = [gamma_over("2026-11-21 08:20:00+00", **change)]
    an_hour_later(live)
    assert stored(live, GAMMA_ID).settlement == Settlement(outcome, SLOT + HOUR, evidence, "polymarket")


def test_a_market_that_is_not_settled_in_30_days_is_void(live, world):
    """Unless its source has not answered; a settlement that comes with the answer counts."""
    world.servers["kalshi"].fault = answering(b"", 500)
    live.move(33 * DAY)
    assert stored(live, GAMMA_ID).settlement is None
    live.move(2 * DAY)
    settlement = stored(live, GAMMA_ID).settlement
    assert (settlement.outcome, settlement.evidence) == ("void", "it was not settled within 30 days")
    live.move(5 * DAY)
    assert stored(live, TICKER).settlement is None
    world.servers["kalshi"].fault = None
    world.over["kalshi"] = [kalshi_row(status="finalized", result="yes", settlement_ts="2026-12-20T08:30:00Z")]
    live.move(HOUR)
    assert stored(live, TICKER).settlement.outcome == "yes"


def test_bars_never_settle_an_imported_market(live):
    """Days after its end it still waits for its source."""
    live.move(8 * DAY)
    assert stored(live, GAMMA_ID).settlement is None
    assert GAMMA_ID not in imported_markets(live)


FAULTS = {
    "hangs": (hang, "no complete response in time"),
    "answers 500": (answering(b"{}", 500), "it answered 500"),
    "answers 429": (answering(b"{}", 429, Retry_After="120"), "it answered 429, retry after 120 s"),
    "answers broken JSON": (answering(b'{"markets": ['), "it could not be read: InvalidJSONError"),
    "answers 10 MB": (answering(b'{"markets": []}' + BIG), "it is larger than 8 MB"),
}


@pytest.mark.parametrize("name", ["polymarket", "kalshi"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_market_that_fails_changes_nothing_but_its_freshness(live, world, name, fault):
    """What was taken over stays as it is, the list says which source failed, and the other one is read."""
    before, other = frozen(live), {"polymarket": "kalshi", "kalshi": "polymarket"}[name]
    world.servers[name].fault, reason = FAULTS[fault]
    an_hour_later(live)
    page = document(live, "predictions")
    assert page["sources"][name] == f"odds ({name}), read {iso(SLOT)}; failed since: {name}: {reason}"
    assert page["sources"][other] == f"odds ({other}), read {iso(SLOT + HOUR)}"
    assert frozen(live) == before
    world.servers[name].fault = None
    an_hour_later(live, 2)
    assert document(live, "predictions")["sources"][name] == f"odds ({name}), read {iso(SLOT + 2 * HOUR)}"


def test_a_source_that_never_answered_is_shown_as_never_read(live_world, world, tmp_path):
    with running_service(tmp_path, **world.options) as service:
        world.servers["kalshi"].fault = answering(b"", 500)
        do(service, prices.tick, SLOT)
        do(service, imported.import_markets, SLOT)
        with service.runtime.database.reading() as db:
            assert imported.sources(db)["kalshi"] == "odds (kalshi), never read; failed since: kalshi: it answered 500"


def up_row(market_id: str, begins: int, length: int, title: str = "Bitcoin Up or Down - November 21, 3AM ET") -> dict:
    """An open market of Polymarket on a move of some seconds."""
    fields = {
        "question": title,
        "groupItemTitle": "",
        "outcomes": '["Up", "Down"]',
        "description": "",
        "volumeNum": 9.9,
    }
    return gamma_row(market_id, p="0.505") | fields | {"eventStartTime": iso(begins), "endDate": iso(begins + length)}


def quarter_row(begins: int) -> dict:
    """An open market of Kalshi on the move of a quarter of an hour."""
    return kalshi_row(
        ticker="KXETH15M-26NOV210330-30",
        event_ticker="KXETH15M-26NOV210330",
        title="ETH price up in next 15 mins?",
        yes_sub_title="Target Price: $3,019.40",
        open_time=iso(begins),
        close_time=iso(begins + 3 * FIVE),
        yes_bid_dollars="0.4900",
        yes_ask_dollars="0.5000",
    )


@pytest.fixture
def short(live_world, live_data, world, tmp_path, monkeypatch) -> Iterator[RunningService]:
    """The live service with short markets, whose wall clock the sources share."""
    with running_service(copied(live_data, tmp_path), wall=START + 60, **world.options, short_markets=True) as service:
        monkeypatch.setattr(source, "time", SimpleNamespace(time=lambda: service.wall, monotonic=time.monotonic))
        yield service


def close_at(service: RunningService, asset: str, instant: int) -> float:
    """The close of the five-minute bar that ends at a unix second."""
    with service.runtime.database.reading() as db:
        return float(bars.load_bars(db, asset, instant - FIVE, instant, FIVE).close[-1])


def until(service: RunningService, instant: int) -> None:
    """Let the wall clock go on to ten seconds after an instant, when its bar is stored."""
    service.move(instant + 10 - service.wall)


def test_short_markets_are_voted_on_when_they_begin(short, world):
    """The votes are from the five-minute bar that ends then, not from the last complete hour."""
    world.offers["polymarket"] = [up_row("5", QUARTER, FIVE), up_row("60", QUARTER, HOUR)]
    world.offers["kalshi"] = [quarter_row(QUARTER)]
    until(short, QUARTER)
    for market_id, asset in (
        ("polymarket-5", "btc"),
        ("polymarket-60", "btc"),
        ("kalshi-KXETH15M-26NOV210330-30", "eth"),
    ):
        market = stored(short, market_id)
        assert (market.created_at, market.commitment.as_of, len(market.votes)) == (QUARTER, QUARTER, 9)
        assert (market.question.asset, market.question.comparator) == (asset, "up")
        assert market.question.spot == close_at(short, asset, QUARTER) != close_at(short, asset, SLOT)
        assert market.odds.fetched_at == QUARTER + 10


def test_short_markets_are_imported_every_five_minutes(short, world):
    """Each at the start of its move: none twice, none late, and none early."""
    begins = [QUARTER + number * FIVE for number in range(3)]
    world.offers["polymarket"] = [up_row(str(number), start, 2 * FIVE) for number, start in enumerate(begins)]
    for start in begins:
        until(short, start)
    created_at = [stored(short, f"polymarket-{number}").created_at for number in range(3)]
    assert created_at == begins


def test_short_markets_are_not_imported_unless_wanted(live, world, monkeypatch):
    """Neither every five minutes nor every hour."""
    monkeypatch.setattr(source, "time", SimpleNamespace(time=lambda: live.wall, monotonic=time.monotonic))
    rows = {begins: up_row(str(begins), begins, FIVE) | {"volumeNum": 5e4} for begins in (QUARTER, SLOT + HOUR)}
    world.offers["polymarket"] = list(rows.values())
    for begins in rows:
        until(live, begins)
    assert not any(stored(live, f"polymarket-{begins}") for begins in rows)


def test_a_short_market_needs_the_bar_of_its_start(short, world):
    """Where the exchange is late, there is no price to forecast from."""
    world.offers["polymarket"] = [up_row("5", QUARTER, FIVE)]
    short.wall = QUARTER + 10
    do(short, imported.import_short, QUARTER)
    assert stored(short, "polymarket-5") is None
    do(short, prices.tick, QUARTER + prices.LIVE_DELAY_S)
    do(short, imported.import_short, QUARTER)
    assert stored(short, "polymarket-5").votes


def test_a_short_market_is_settled_and_recorded_as_others_are(short, world):
    """The hourly settling finds it; one that its source closed before it began is void."""
    world.offers["polymarket"] = [up_row("5", QUARTER, FIVE), up_row("15", QUARTER, 3 * FIVE)]
    until(short, QUARTER)
    closed_at = {"5": "2026-11-21 08:20:17+00", "15": "2026-11-21 08:14:59+00"}
    world.over["polymarket"] = [gamma_over(closed_at[row["id"]], row) for row in world.offers["polymarket"]]
    until(short, SLOT + HOUR)
    settlement = stored(short, "polymarket-5").settlement
    assert settlement == Settlement("yes", SLOT + HOUR, "Up pays 1, Down pays 0", "polymarket")
    assert stored(short, "polymarket-15").outcome == "void"
    with short.runtime.database.reading() as db:
        kinds = [row.kind for row in ledger.entries(db, 1, 200, subject="polymarket-5")]
    assert kinds == ["votes", "odds", "resolution", "score"]


def test_a_move_that_began_between_slots_is_a_level(live, world):
    """A day that began at 08:30 is imported at 09:00, about the price of 08:30."""
    begins = SLOT + HOUR // 2
    world.offers["polymarket"] = [up_row("24", begins, DAY, "Bitcoin Up or Down on November 22?") | {"volumeNum": 5e4}]
    until(live, SLOT + HOUR)
    question = stored(live, "polymarket-24").question
    assert (question.comparator, question.level) == ("close_above", close_at(live, "btc", begins))
    assert question.spot == close_at(live, "btc", SLOT + HOUR)


PAPER_FAULTS = {
    "hangs": (hang, "no complete response in time"),
    "answers 500": (answering(b"", 500), "it answered 500"),
    "answers 429": (
        answering(b"", 429, Retry_After="7200"),
        f"it answered 429; the next request is at {iso(SLOT + 3 * HOUR)}",
    ),
    "answers broken XML": (answering(rss(*HEADLINES)[:-9], kind="text/xml"), "it is not well-formed XML"),
    "answers 10 MB": (answering(BIG, kind="text/xml"), "it is larger than 2 MB"),
}


@pytest.mark.parametrize("fault", PAPER_FAULTS)
def test_a_failed_news_source_changes_only_the_freshness(live, world, fault):
    """The headlines stay, and the document says which source failed and since when it has seen nothing."""
    before = document(live, "news-pulse")
    assert (before["failed"], before["as_of"]) == ({}, iso(SLOT))
    assert [row["title"] for row in before["headlines"]] == [title for title, _ in HEADLINES]
    world.servers["paper"].fault, reason = PAPER_FAULTS[fault]
    an_hour_later(live)
    after = document(live, "news-pulse")
    assert after["failed"] == {"127.0.0.1": reason}
    assert after["headlines"] == before["headlines"]
    assert (after["timestamp"], after["as_of"]) == (iso(SLOT + HOUR), iso(SLOT))
    assert after["stale_after"] == before["stale_after"]


def test_a_paper_with_retry_after_is_skipped_and_named(live, world):
    paper = world.servers["paper"]
    paper.fault = PAPER_FAULTS["answers 429"][0]
    an_hour_later(live)
    paper.fault = printing(("Gold rises", SLOT + HOUR))
    paper.requests.clear()
    an_hour_later(live, 2)
    page = document(live, "news-pulse")
    assert (paper.requests, page["failed"]) == (
        [],
        {"127.0.0.1": f"paused until {iso(SLOT + 3 * HOUR)} at its request"},
    )
    assert page["as_of"] == iso(SLOT)
    do(live, prices.tick, SLOT + 3 * HOUR + prices.LIVE_DELAY_S)
    an_hour_later(live, 3)
    page = document(live, "news-pulse")
    assert (page["failed"], page["as_of"], page["headlines"][0]["title"]) == ({}, iso(SLOT + 3 * HOUR), "Gold rises")


def test_one_of_two_news_sources_may_fail(live, live_data, world, tmp_path):
    """The other one is read, and the news are as fresh as that."""
    options = world.options
    options["news_feeds"] = ("http://localhost:1/rss", *options["news_feeds"])
    world.servers["paper"].fault = printing(*HEADLINES, ("Gold rises", SLOT + 60))
    with running_service(copied(live_data, tmp_path / "two"), **options) as service:
        do(service, prices.tick, SLOT + HOUR + prices.LIVE_DELAY_S)
        an_hour_later(service)
        page = document(service, "news-pulse")
    assert set(page["failed"]) == {"localhost"}
    assert (page["as_of"], page["headlines"][0]["title"]) == (iso(SLOT + HOUR), "Gold rises")
