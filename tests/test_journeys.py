"""What happens from the first start to a scored answer, with nothing replaced but the clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select
from structlog.testing import capture_logs

from service.forecasting.predictions.open_markets import resolved
from service.forecasting.voters.track_record import TrackRecord
from service.market.assets import is_open
from service.market.instants import HOUR, iso
from service.store import bars, lanes, predictions
from service.store.pages import records
from service.store.tables import snapshot
from service.trading.lanes import LANES
from tests.conftest import IN_SOAK
from tests.running_service import REPLAY_START, START, RunningService, copied, replaying, running_service

FIRST_MONTH = "2024-03-01" if IN_SOAK else "2025-03-01"
NINE = {"momentum", "reversion", "breadth", "regime", "trend", "news", "vol", "garch", "sv"}


@pytest.fixture
def house(seeded: Path, tmp_path: Path) -> Iterator[RunningService]:
    with running_service(copied(seeded, tmp_path)) as running:
        running.register()
        yield running


def test_after_the_first_start_nine_voters_answer(house: RunningService):
    """One tick fetches the history, the voters learn from it, and a question gets nine votes and a consensus."""
    answer = house.ask().get_json()
    assert set(answer["votes"]) == NINE
    assert answer["abstained"] == {}
    assert answer["consensus"]["oracles_count"] == 9
    assert answer["consensus"]["bull_probability"] + answer["consensus"]["bear_probability"] == pytest.approx(100)
    assert answer["world"] == "simulated"
    assert answer["asked_at"] == iso(START)
    assert answer["as_of"] == iso(START - START % 300)


@pytest.mark.slow
def test_a_question_is_resolved_and_every_voter_scored(house: RunningService):
    """Two days on, with no hand, the answer has an outcome with its evidence, and counts for each of nine voters."""
    before = counted(house)
    forecast = house.ask("Will bitcoin be higher in 24 hours?").get_json()
    for _ in range(3):
        house.move(16 * HOUR)
    with house.runtime.database.reading() as db:
        *settled, answer = predictions.settled_predictions(db)
    markets = [market for market in resolved(settled) if market.band == "day"]
    assert answer.id == forecast["id"]
    assert answer.settlement.evidence
    assert {vote.voter for vote in answer.votes} == NINE
    cast = Counter(vote.voter for market in markets for vote in market.votes) + Counter(NINE)
    assert counted(house) == cast
    assert all(cast[voter] > before[voter] for voter in NINE)


def counted(house: RunningService) -> Counter[str]:
    """How many questions over at most a day have resolved for each voter."""
    with house.runtime.database.reading() as db:
        record = TrackRecord.from_plain(records.latest(db))
    return Counter({standing.voter: standing.n for standing in record.of_band("day").standings})


@pytest.mark.slow
def test_a_replay_of_real_bars_answers(shared_data: Path, replayed_start: Path, tmp_path: Path):
    """Fifteen months of hourly bars, begun in their fifth: an hour of world time is a minute of the wall."""
    with replaying(shared_data, copied(replayed_start, tmp_path)) as running:
        running.register()
        answer = running.ask("Will Bitcoin be above $60k by the end of June?").get_json()
        assert set(answer["votes"]) == NINE
        assert answer["world"] == "replay"
        assert answer["asked_at"] == f"{REPLAY_START}T00:00:00Z"
        running.move(60)
        assert running.client.get("/api/v1/prices").get_json()["as_of"] == f"{REPLAY_START}T01:00:00Z"


@pytest.mark.slow
def test_real_months_run_through(shared_data: Path, tmp_path: Path):
    """A replay from its fourteenth month to its end, in `make soak` from its second, where it stands still and says so.

    Every lane sees every bar, every month gets its snapshot.
    """
    options = {"world": "replay", "replay_dir": shared_data / "candles" / "1h", "replay_start": FIRST_MONTH}
    with running_service(tmp_path, world_speed=86400, **options) as running:
        for _ in range(2):
            running.move(250)
        prices = running.client.get("/api/v1/prices").get_json()
        assert prices["ended"] is True
        assert prices["as_of"] == "2025-05-01T00:00:00Z"
        with running.runtime.database.reading() as db:
            history = lanes.lane_bars(db, "trend", 0, 2**40, 100_000)
            names = db.scalars(select(snapshot.c.name))
            months = [name for name in names if name.startswith("strategy-hospital/")]
            events = [event for name in LANES for event in lanes.lane_events(db, name, 0, 2**40, 100_000)]
    assert len(months) == 15
    assert [bar.as_of for bar in history] == sorted({bar.as_of for bar in history})
    assert history[-1].as_of == int(datetime(2025, 5, 1, tzinfo=UTC).timestamp())
    metals = [event for event in events if event["subject"] in ("gold", "silver")]
    assert metals
    assert all(is_open(event["subject"], event["time"]) for event in metals)


@pytest.mark.slow
def test_a_replay_with_broken_bars_says_so_and_loses_nothing_else(shared_data: Path, tmp_path: Path):
    """A gap, a duplicate, a high below its low and a NaN: refused with a word each, the rest is there."""
    whole = (shared_data / "candles" / "1h" / "btc.csv").read_text().splitlines()
    rows = whole[: 24 * 100 + 1]
    broken = [*rows[:100], *rows[105:200], rows[199], *rows[200:300], _flipped(rows[300]), *rows[301:400]]
    broken += [rows[400].rsplit(",", 2)[0] + ",nan,1", *rows[401:]]
    folder = tmp_path / "bars"
    folder.mkdir()
    (folder / "btc.csv").write_text("\n".join(broken))
    with (
        capture_logs() as logs,
        running_service(tmp_path / "var", world="replay", replay_dir=folder, replay_start="2024-05-01") as running,
    ):
        running.work()
        with running.runtime.database.reading() as db:
            stored = bars.load_bars(db, "btc", 0, 2**40, HOUR)
    (refusal,) = (line for line in logs if line["event"] == "bars_refused")
    assert refusal["count"] == 3
    assert len(stored) == 24 * 90 - 5 - 2


def _flipped(row: str) -> str:
    """A bar whose high and low have changed places."""
    time, opening, high, low, *rest = row.split(",")
    return ",".join((time, opening, low, high, *rest))
