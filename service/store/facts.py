"""What rows of the ledger hold as a whole, compared with what the tables hold of it, in both directions.

These are the trades of the lanes, the calls of apex, the snapshots of the hospital, the price forecasts that wait for
their outcome, and the hashes of the voters' inputs. Backfilled calls of apex are in no row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from service import canonical
from service.forecasting.price_record.committed import STANDARD, subject_of
from service.ledger.chain import ChainEntry, Kind, instant_of, with_iso_instants
from service.store.tables import apex_call, lane_event, price_book, price_forecast, snapshot, vote_input

HOSPITAL = "strategy-hospital/"  # the name of the snapshot of a month begins with it
SHOWN_LENGTH = 240  # characters of a body in a sentence


def cut(text: str, length: int) -> str:
    """The text, or so many characters of it and an ellipsis."""
    return text if len(text) <= length else f"{text[:length]}…"


class LedgerFact(NamedTuple):
    """What a row says about its subject; `body` is canonical JSON with instants in ISO 8601."""

    kind: Kind
    subject: str
    body: str


def _second(value: int | str) -> int:
    """The unix second of an instant, as rows of any version write it."""
    return int(instant_of(value).timestamp())


def _fact(kind: Kind, subject: str, body: dict[str, Any]) -> LedgerFact:
    return LedgerFact(kind, subject, canonical.write(with_iso_instants(body)))


class FactsCheck:
    """The facts that are `stored`, and those of the rows read so far; rows of a world taken back are not to be read."""

    def __init__(self, db: Connection) -> None:
        self.stored = Counter(_stored(db))
        self.recorded = Counter[LedgerFact]()
        # Earlier versions stored no inputs, and a price forecast is deleted once it is scored.
        self._inputs_since = db.scalar(select(func.min(vote_input.c.voted_at)))
        self._scored_until = db.scalar(select(func.max(price_book.c.as_of))) or 0

    def add(self, entry: ChainEntry) -> None:
        """Read the next row."""
        kind, subject, body = entry.kind, entry.subject, entry.body
        if kind in ("lane_trade", "apex"):
            self.recorded[_fact(kind, subject, body)] += 1
        elif kind == "hospital":
            self.recorded[_fact(kind, subject, {"sha256": body["sha256"]})] += 1
        elif kind == "votes" and self._inputs_since is not None and _second(body["voted_at"]) >= self._inputs_since:
            if features := body.get("features"):
                self.recorded[_fact(kind, features, {"features": features})] = 1  # votes of the same instant share them
        elif kind == "price_forecast":
            for fact, deadline in _price_forecasts(entry):
                if deadline > self._scored_until or fact in self.stored:
                    self.recorded[fact] += 1

    def differences(self) -> Iterator[str]:
        """A sentence for each fact that only the rows or only the tables have."""
        for facts, sentence in (
            (self.recorded - self.stored, "is in the ledger and is not stored"),
            (self.stored - self.recorded, "is stored and is in no row of the ledger"),
        ):
            yield from (f"{fact.subject} ({fact.kind}): {cut(fact.body, SHOWN_LENGTH)} {sentence}." for fact in facts)


def _price_forecasts(entry: ChainEntry) -> Iterator[tuple[LedgerFact, int]]:
    """The forecasts of a row, each with its deadline."""
    at = _second(entry.body["at"])
    for asset, row in entry.body["forecasts"].items():
        for horizon in STANDARD.keys() & row.keys():
            deadline = at + STANDARD[horizon]
            values = [row["price"], _second(row["as_of"]), row[horizon]]
            yield _price_forecast(at, asset, horizon, deadline, entry.backfilled, values), deadline


def _price_forecast(
    at: int, asset: str, horizon: str, deadline: int, backfilled: bool, values: list[Any]
) -> LedgerFact:
    """`values` are the price, the instant of its bar and the numbers of the forecast."""
    fields = {"asset": asset, "horizon": horizon, "deadline": deadline, "backfilled": backfilled, "values": values}
    return _fact("price_forecast", subject_of(at), fields)


def _stored(db: Connection) -> Iterator[LedgerFact]:
    for lane, time, body in db.execute(select(lane_event.c.lane, lane_event.c.time, lane_event.c.body)):
        yield _fact("lane_trade", lane, canonical.read(body) | {"time": time})
    calls = select(apex_call.c.at, apex_call.c.p_up, apex_call.c.body).where(~apex_call.c.backfilled)
    for at, p_up, body in db.execute(calls):
        call = canonical.read(body) | {"at": at, "p_up": p_up}
        yield _fact("apex", call["asset"], call)
    months = select(snapshot.c.name, snapshot.c.body).where(snapshot.c.name.startswith(HOSPITAL))
    for name, document in db.execute(months):
        yield _fact("hospital", name.removeprefix(HOSPITAL), {"sha256": sha256(document).hexdigest()})
    for digest, inputs in db.execute(select(vote_input.c.hash, vote_input.c.body)):
        yield _fact("votes", digest, {"features": sha256(inputs.encode()).hexdigest()})
    columns = (price_forecast.c[name] for name in ("at", "asset", "horizon", "deadline", "backfilled", "body"))
    for at, asset, horizon, deadline, backfilled, body in map(tuple, db.execute(select(*columns))):
        yield _price_forecast(at, asset, horizon, deadline, backfilled, canonical.read(body))
