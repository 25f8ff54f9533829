"""Predictions and forecasts as the rows of the ledger state them, so that every score can be computed from them again.

Texts of strangers are not in the rows, and reasons are left out: no score depends on them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from service.forecasting.predictions import Commitment, CommittedVote, LedgerPosition, Odds, Prediction, Settlement
from service.forecasting.predictions.commitments import TERMS
from service.forecasting.predictions.scores.market_forecasts import MarketForecast, MarketForecastScore, score_forecasts
from service.ledger.chain import FIELDS, ChainEntry
from service.market.instants import unix
from service.questions import Question

HIDDEN = "(not in the ledger)"
_ABSENT = {"p_up": None, "fallback": False, "prompt": None, "tokens": None, "usd": None}
_COMMITMENT_FIELDS = [field.name for field in fields(Commitment) if field.name not in ("votes", "inputs", "p_up")]


class RecordedPredictions:
    """What the rows added so far say; those of a world that was taken back must not be added."""

    def __init__(self, entries: Iterable[ChainEntry]) -> None:
        self._by_id: dict[str, dict[str, Any]] = defaultdict(dict)
        self._named_since: dict[str, int] = {}
        self._forecast_at: dict[int, int] = {}
        self._forecasts: list[MarketForecast] = []
        for entry in entries:
            self._add(entry)

    def predictions(self) -> list[Prediction]:
        """Every market and challenge."""
        return [Prediction(**record) for record in self._by_id.values() if "question" in record]

    def scores(self, markets: Mapping[str, Prediction]) -> dict[str, dict[str, MarketForecastScore]]:
        """The scores of each forecaster by market, from the forecasts that it gave after it took its first name."""
        by_market: dict[str, dict[str, list[MarketForecast]]] = defaultdict(lambda: defaultdict(list))
        for forecast in sorted(self._forecasts, key=lambda forecast: forecast.seq):
            if forecast.seq > self._named_since.get(forecast.forecaster, 0):
                by_market[forecast.market][forecast.forecaster].append(forecast)
        scores: dict[str, dict[str, MarketForecastScore]] = defaultdict(dict)
        for market_id, parts in by_market.items():
            for id, score in score_forecasts(markets[market_id], parts, self._named_since.keys()).items():
                scores[id][market_id] = score
        return scores

    def count_entrants(self, scores: Mapping[str, Mapping[str, MarketForecastScore]]) -> int:
        """The number of forecasters that took a name and have a score."""
        return len(scores.keys() & self._named_since.keys())

    def _add(self, entry: ChainEntry) -> None:
        body, record = {name: _unix(name, value) for name, value in entry.body.items()}, self._by_id[entry.subject]
        if entry.kind in ("question", "votes"):
            record |= {"id": entry.subject, "backfilled": entry.backfilled, "question": _question(body["question"])}
            record |= {name: HIDDEN if isinstance(body[name], dict) else body[name] for name in TERMS}
        if entry.kind == "votes":
            record["commitment"] = _commitment(body)
            record["ledger_position"] = LedgerPosition(entry.seq, entry.hash)
        elif entry.kind == "odds":
            record["odds"] = Odds(**{**body, "url": None})
        elif entry.kind == "resolution":
            record["settlement"] = Settlement(**body)
        elif entry.kind == "name":
            self._named_since.setdefault(entry.subject, entry.seq)
        elif entry.kind == "forecast":
            self._forecast_at[entry.seq] = unix(entry.recorded_at)
        elif entry.kind == "reveal":
            seq = body["forecast"]
            forecast = (seq, body["market"], entry.subject, self._forecast_at[seq], body["p_yes"], body["salt"])
            self._forecasts.append(MarketForecast(*forecast))


def _unix(name: str, value: Any) -> Any:
    return unix(value) if name in FIELDS and isinstance(value, str) else value


def _question(plain: Mapping[str, Any]) -> Question:
    texts = {name: HIDDEN for name in ("text", "canonical") if isinstance(plain[name], dict)}
    return Question.from_plain({**plain, **texts, "notes": (), "deadline": _unix("deadline", plain["deadline"])})


def _commitment(body: Mapping[str, Any]) -> Commitment:
    votes = tuple(CommittedVote.from_plain(_ABSENT | vote | {"reasoning": ""}) for vote in body["votes"])
    values: dict[str, Any] = {name: body.get(name) for name in _COMMITMENT_FIELDS}
    return Commitment(**values, votes=votes, p_up=body.get("p_up"))
