"""One market whole: what the list shows of it, its hourly opinions, the bars that settled it and its ledger rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from service.forecasting.predictions import Holder, Opinion, Prediction
from service.forecasting.predictions.documents import show_ai, show_odds
from service.forecasting.predictions.market_fields import AiNow, ListedMarket, OddsNow
from service.forecasting.predictions.scores.bets import BetSide
from service.ledger.chain import ChainEntry
from service.market.bars import Bars
from service.market.instants import iso


@dataclass(frozen=True)
class EvidenceBar:
    """A bar: its beginning and its prices in USD."""

    time: str
    open: float
    high: float
    low: float
    close: float


@dataclass(frozen=True)
class EvidenceBars:
    """The bars of an asset, each `step_s` seconds long, from the one that ends at the opening to the settlement."""

    asset: str
    step_s: int
    bars: tuple[EvidenceBar, ...]


@dataclass(frozen=True)
class MarketVote:
    """The vote of the caller as it counts now."""

    vote: BetSide
    voted_at: str


@dataclass(frozen=True)
class OwnForecast:
    """The caller's last forecast; row `seq` of the ledger commits to it with `salt`."""

    p_yes: float
    forecast_at: str
    seq: int
    salt: str


@dataclass(frozen=True)
class MarketDocument(ListedMarket):
    """A market with everything that is stored about it.

    `ai_series` and `odds_series` have an entry for each hour while the market was open; they are kept for 30 days after
    its settlement. `bars` are empty before the settlement and where another market decides. `my_vote` and
    `my_forecast` are null without a key, or without a vote or a forecast.
    """

    ai_series: tuple[AiNow, ...]
    odds_series: tuple[OddsNow, ...]
    bars: tuple[EvidenceBars, ...]
    ledger: tuple[ChainEntry, ...]
    my_vote: MarketVote | None
    my_forecast: OwnForecast | None


def market_document(
    listed: ListedMarket,
    series: Mapping[Holder, Sequence[Opinion]],
    evidence: Sequence[EvidenceBars],
    ledger: Sequence[ChainEntry],
    my_vote: MarketVote | None,
    my_forecast: OwnForecast | None,
) -> MarketDocument:
    """The document of a market; `series` are its opinions by holder."""
    return MarketDocument(
        **vars(listed),
        ai_series=tuple(map(show_ai, series["ai"])),
        odds_series=tuple(map(show_odds, series["odds"])),
        bars=tuple(evidence),
        ledger=tuple(ledger),
        my_vote=my_vote,
        my_forecast=my_forecast,
    )


def evidence_bars(market: Prediction, asset: str, bars: Bars) -> EvidenceBars:
    """The bars of an asset that settled a market; `bars` begin some days before its opening."""
    before = bars.until(market.created_at)
    shown = bars.since(int(before.time[-1]) if len(before) else market.created_at).until(market.deadline + 1)
    rows = (EvidenceBar(iso(int(time)), *prices) for time, *prices, _ in shown.rows())
    return EvidenceBars(asset, bars.step, tuple(rows))
