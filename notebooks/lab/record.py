"""The downloaded record: every market with its votes and outcome, and what was known when it was voted on."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pandas as pd

from notebooks.widgets import frames
from service.bar_files import NAMES, content_of, read_files

HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class AskedQuestion:
    """What YES means, without what became known later.

    `comparator` is the kind of event, see `understood.comparator` in the API; `negated` turns YES and NO round. Levels
    and `spot`, the price when it was asked, are USD. `legs` are the events of a question about two of them.
    """

    id: str
    text: str
    asset: str
    comparator: str
    spot: float
    asked_at: pd.Timestamp
    deadline: pd.Timestamp
    horizon_h: float
    category: str
    negated: bool = False
    other_asset: str | None = None
    level: float | None = None
    upper_level: float | None = None
    level_pct: float | None = None
    days: int | None = None
    in_a_row: bool = False
    earlier: pd.Timestamp | None = None
    legs: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class OpeningInputs:
    """What was known at `asked_at`: complete hourly bars, and the votes and the odds of that instant.

    The votes and the `odds` of an open market are public, so a voter may use them: `votes` is P(YES) by voter, `pool`
    that of the pool, `odds` that of the external market, None where no market asks the same. `features` are the inputs
    of the voters by asset and name, NaN where history was too short, empty for votes before the service kept them.
    """

    asked_at: pd.Timestamp
    votes: Mapping[str, float]
    pool: float
    odds: float | None
    features: Mapping[str, Mapping[str, float]]
    _bars: Mapping[str, pd.DataFrame]

    def bars(self, asset: str) -> pd.DataFrame:
        """The hourly bars of an asset that were complete, in the columns of `frames.candles`."""
        return complete(self._bars[asset], self.asked_at)


@dataclass(frozen=True)
class RecordedMarket:
    """A market as the ledger has it; `happened` and `resolved_at` are None until it resolves yes or no.

    `weights` are those of the voters in the pool. The odds of a `simulated` source come from the service. `features`
    are the inputs of the voters by asset.
    """

    question: AskedQuestion
    votes: Mapping[str, float]
    weights: Mapping[str, float]
    pool: float
    odds: float | None
    odds_source: str | None
    backfilled: bool
    happened: bool | None = None
    resolved_at: pd.Timestamp | None = None
    features: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def as_of(self, instant: pd.Timestamp) -> RecordedMarket:
        """The market as it was at an instant: without an outcome that came later."""
        is_decided = self.resolved_at is not None and self.resolved_at <= instant
        return self if is_decided else replace(self, happened=None, resolved_at=None)


@dataclass(frozen=True)
class MarketRecord:
    """Markets in the order of asking, and the hourly bars of each asset, of one world."""

    world: str
    markets: tuple[RecordedMarket, ...]
    bars: Mapping[str, pd.DataFrame]

    def until(self, instant: pd.Timestamp) -> MarketRecord:
        """The record as it was at an instant."""
        return MarketRecord(
            self.world,
            tuple(market.as_of(instant) for market in self.markets if market.question.asked_at <= instant),
            {asset: complete(bars, instant) for asset, bars in self.bars.items()},
        )

    def inputs(self, market: RecordedMarket) -> OpeningInputs:
        """What was known when a market was voted on."""
        return OpeningInputs(
            market.question.asked_at, market.votes, market.pool, market.odds, market.features, self.bars
        )


def complete(bars: pd.DataFrame, instant: pd.Timestamp) -> pd.DataFrame:
    """The hourly bars that were complete at an instant."""
    return bars.loc[: instant - HOUR]


def read_bars(asset: str, *files: Path) -> pd.DataFrame:
    """Bars of your own, from files of one asset as exchanges, freqtrade or yfinance write them.

    Returns the columns of `frames.candles`, in the world `replay`; `step_s` is the most common spacing. A time without
    an offset is UTC. Raises ValueError, with file, line and reason, where a file is none of bars; a row that cannot be
    read is left out with a warning.
    """
    bars = read_files({str(file): content_of(file) for file in files})
    for _, fault in bars.faults:
        warnings.warn(fault, stacklevel=2)
    table = pd.DataFrame(bars.rows, columns=list(NAMES))
    table["time"] = pd.to_datetime(table["time"], unit="s", utc=True)
    page = {"asset": asset, "step_s": bars.spacing, "volume_unit": asset.upper(), "source": bars.name}
    return frames.candles({**page, "world": "replay", "bars": table.to_dict("records")})


def record_of(
    lines: Iterable[Mapping[str, Any]], bars: Mapping[str, pd.DataFrame], world: str, features: pd.DataFrame
) -> MarketRecord:
    """The record from parsed lines of the ledger, without corrected rows; `features` is a frame of `frames.features`.

    A question without a criterion (`open`) has no YES, so it is left out; a void market has no outcome.
    """
    lines = list(lines)
    corrections = {line["body"]["corrects"] for line in lines if line["kind"] == "correction"}
    by_kind: dict[str, dict[str, Mapping[str, Any]]] = {"votes": {}, "odds": {}, "resolution": {}}
    for line in lines:
        if line["seq"] not in corrections and line["kind"] in by_kind:
            by_kind[line["kind"]][line["subject"]] = line
    by_hash = _features_by_hash(features)
    markets = [
        replace(
            _market(line, by_kind["odds"].get(id), by_kind["resolution"].get(id)),
            features=by_hash.get(line["body"].get("features"), {}),
        )
        for id, line in by_kind["votes"].items()
        if line["body"]["question"]["comparator"] != "open"
    ]
    markets.sort(key=lambda market: (market.question.asked_at, market.question.id))
    return MarketRecord(world, tuple(markets), bars)


def _features_by_hash(features: pd.DataFrame) -> dict[str, dict[str, dict[str, float]]]:
    """The value of each feature by hash, asset and name."""
    by_hash: dict[str, dict[str, dict[str, float]]] = {}
    columns = (features[name].tolist() for name in ("hash", "asset", "feature", "value"))
    for hash, asset, feature, value in zip(*columns, strict=True):
        by_hash.setdefault(hash, {}).setdefault(asset, {})[feature] = value
    return by_hash


def _market(
    line: Mapping[str, Any], odds: Mapping[str, Any] | None, resolution: Mapping[str, Any] | None
) -> RecordedMarket:
    body, settlement = line["body"], (resolution or {}).get("body", {})
    is_scored = settlement.get("outcome") in ("yes", "no")
    return RecordedMarket(
        question=question_of(line["subject"], body),
        votes={vote["voter"]: vote["p"] for vote in body["votes"]},
        weights={vote["voter"]: vote["weight"] for vote in body["votes"]},
        pool=body["p"],
        odds=odds["body"]["p_yes"] if odds else None,
        odds_source=odds["body"]["source"] if odds else None,
        backfilled=line["backfilled"],
        happened=settlement["outcome"] == "yes" if is_scored else None,
        resolved_at=instant_of(settlement["resolved_at"]) if is_scored else None,
    )


def question_of(id: str, body: Mapping[str, Any]) -> AskedQuestion:
    """The question of a row of votes."""
    question = body["question"]
    fields = ("text", "asset", "comparator", "spot", "negated", "other_asset", "level", "upper_level", "level_pct")
    fields += ("days", "in_a_row")  # rows of the first edition have not all of them
    earlier = question.get("earlier")
    return AskedQuestion(
        id=id,
        asked_at=instant_of(body["voted_at"]),
        deadline=instant_of(body["deadline"]),
        horizon_h=question["horizon_hours"],
        category=body["category"],
        earlier=instant_of(earlier) if earlier else None,
        legs=tuple(question.get("legs", ())),
        **{name: question[name] for name in fields if name in question},
    )


def instant_of(value: str | int) -> pd.Timestamp:
    """An instant of the ledger: ISO 8601, or unix seconds in rows of the first edition."""
    instant = pd.Timestamp(value, unit="s", tz="UTC") if isinstance(value, int) else pd.Timestamp(value)
    return cast(pd.Timestamp, instant)
