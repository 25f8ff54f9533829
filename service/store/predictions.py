"""Markets and challenges: their questions, what was committed on them, and what became of them.

A commitment, its odds and a settlement are each written once and never changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, update

from service import canonical
from service.forecasting.predictions import (
    Commitment,
    CommittedVote,
    Odds,
    PredictionMarket,
    Settled,
    Settlement,
)
from service.forecasting.questions import Question
from service.store.tables import odds, prediction, prediction_vote

AT_ONCE = 400  # keys in one query: SQLite takes no more than a few hundred parameters everywhere
_UNANSWERED = (prediction.c.number.is_not(None), prediction.c.voted_at.is_(None), prediction.c.outcome.is_(None))


@dataclass(frozen=True)
class Stored:
    """A market with everything that is known of it.

    `number` is that of a challenge; `seq` and `hash` are those of the ledger's row of its votes.
    """

    market: PredictionMarket
    number: int | None
    commitment: Commitment | None
    odds: Odds | None
    settlement: Settlement | None
    seq: int | None
    hash: str | None


def add(db: Connection, market: PredictionMarket, number: int | None = None) -> None:
    """Store a market or challenge that was opened and that nobody has voted on yet."""
    add_all(db, [Stored(market, number, None, None, None, None, None)])


def add_all(db: Connection, opened: Sequence[Stored]) -> None:
    """Store markets with all that is known of them; one whose id is there already breaks on the key."""
    if not opened:
        return
    db.execute(insert(prediction), [_row(one) for one in opened])
    votes = [row for one in opened if one.commitment for row in _vote_rows(one.market.id, one.commitment)]
    if votes:
        db.execute(insert(prediction_vote), votes)
    given = [asdict(one.odds) | {"prediction": one.market.id} for one in opened if one.odds]
    if given:
        db.execute(insert(odds), given)


def next_number(db: Connection) -> int:
    """The number of the next challenge; asked and used within one writing transaction."""
    return (db.scalar(select(func.max(prediction.c.number))) or 0) + 1


def commit(db: Connection, market_id: str, commitment: Commitment, seq: int, hash: str) -> bool:
    """Store what was committed and its row of the ledger; False when something was committed before."""
    done = db.execute(
        update(prediction)
        .where(prediction.c.id == market_id, prediction.c.voted_at.is_(None))
        .values(**_committed(commitment), seq=seq, hash=hash)
    )
    if done.rowcount and commitment.votes:
        db.execute(insert(prediction_vote), _vote_rows(market_id, commitment))
    return done.rowcount == 1


def settle(db: Connection, market_id: str, settlement: Settlement) -> bool:
    """Store what became of a market; False when it was settled before."""
    done = db.execute(
        update(prediction)
        .where(prediction.c.id == market_id, prediction.c.outcome.is_(None))
        .values(**_settled(settlement))
    )
    return done.rowcount == 1


def ids(db: Connection) -> set[str]:
    """The ids of all markets there ever were."""
    return set(db.scalars(select(prediction.c.id)))


def find(db: Connection, market_id: str) -> Stored | None:
    """One market or challenge; None when there is none of that id."""
    return next(iter(_load(db, prediction.c.id == market_id)), None)


def find_challenge(db: Connection, number: int) -> Stored | None:
    """The challenge of that number; None when there is none."""
    return next(iter(_load(db, prediction.c.number == number)), None)


def active(db: Connection, now: int) -> list[Stored]:
    """Markets whose deadline is still to come and that nothing has settled, the earliest deadline first."""
    return _load(db, prediction.c.number.is_(None), prediction.c.outcome.is_(None), prediction.c.deadline > now)


def active_challenges(db: Connection, now: int, limit: int) -> list[Stored]:
    """Challenges that are still open, the newest first."""
    chosen = (
        select(prediction.c.number)
        .where(prediction.c.number.is_not(None), prediction.c.outcome.is_(None), prediction.c.deadline > now)
        .order_by(prediction.c.number.desc())
        .limit(limit)
    )
    found = _load(db, prediction.c.number.in_(chosen))
    return sorted(found, key=lambda one: -one.number)


def unresolved(db: Connection) -> list[Stored]:
    """Everything that nothing has settled yet, the earliest deadline first."""
    return _load(db, prediction.c.outcome.is_(None))


def awaiting_votes(db: Connection) -> list[Stored]:
    """The challenges that nobody has voted on and nothing has settled, the oldest first."""
    return sorted(_load(db, *_UNANSWERED), key=lambda one: one.number)


def has_unanswered(db: Connection) -> bool:
    """Whether there is a challenge that nobody has voted on."""
    return db.scalar(select(prediction.c.id).where(*_UNANSWERED).limit(1)) is not None


def has_any(db: Connection) -> bool:
    """Whether any market was ever opened; a challenge is none."""
    return db.scalar(select(prediction.c.id).where(prediction.c.number.is_(None)).limit(1)) is not None


def settled(db: Connection) -> list[Settled]:
    """Everything that was settled, in the order in which it was."""
    found = [one for one in _load(db, prediction.c.outcome.is_not(None)) if one.settlement]
    found.sort(key=lambda one: (one.settlement.resolved_at, one.market.deadline, one.market.id))
    return [Settled(one.market, one.commitment, one.odds, one.settlement) for one in found]


def _row(one: Stored) -> dict[str, Any]:
    return {
        **vars(one.market),
        "question": canonical.write(one.market.question.to_plain()),
        "number": one.number,
        "seq": one.seq,
        "hash": one.hash,
        **_committed(one.commitment),
        **_settled(one.settlement),
    }


def _committed(commitment: Commitment | None) -> dict[str, Any]:
    if commitment is None:
        return {"voted_at": None, "commitment": None}
    told = {name: value for name, value in vars(commitment).items() if name != "votes"}
    return {"voted_at": commitment.voted_at, "commitment": canonical.write(told)}


def _settled(settlement: Settlement | None) -> dict[str, Any]:
    if settlement is None:
        return dict.fromkeys(("outcome", "resolved_at", "evidence", "resolved_by"))
    told = vars(settlement)
    return {"resolved_by": told["source"], **{name: told[name] for name in ("outcome", "resolved_at", "evidence")}}


def _vote_rows(market_id: str, commitment: Commitment) -> list[dict[str, Any]]:
    return [{**vars(vote), "prediction": market_id, "place": place} for place, vote in enumerate(commitment.votes)]


def _load(db: Connection, *conditions: ColumnElement[bool]) -> list[Stored]:
    """The markets that meet the conditions, by deadline; their votes and odds in one query each."""
    rows = db.execute(select(prediction).where(*conditions).order_by(prediction.c.deadline, prediction.c.id)).all()
    wanted = [row.id for row in rows]
    votes, prices = _votes(db, wanted), _odds(db, wanted)
    return [_stored(row, tuple(votes[row.id]), prices.get(row.id)) for row in rows]


def _votes(db: Connection, wanted: Sequence[str]) -> dict[str, list[CommittedVote]]:
    found: dict[str, list[CommittedVote]] = defaultdict(list)
    columns = [prediction_vote.c[name] for name in CommittedVote.__dataclass_fields__]
    query = select(prediction_vote.c.prediction, *columns).order_by(
        prediction_vote.c.prediction, prediction_vote.c.place
    )
    for some in _pieces(wanted):
        for market_id, *vote in db.execute(query.where(prediction_vote.c.prediction.in_(some))):
            found[market_id].append(CommittedVote(*vote))
    return found


def _odds(db: Connection, wanted: Sequence[str]) -> dict[str, Odds]:
    columns = [odds.c[name] for name in Odds.__dataclass_fields__]
    query = select(odds.c.prediction, *columns)
    return {
        market_id: Odds(*given)
        for some in _pieces(wanted)
        for market_id, *given in db.execute(query.where(odds.c.prediction.in_(some)))
    }


def _pieces(wanted: Sequence[str]) -> Iterable[Sequence[str]]:
    return (wanted[start : start + AT_ONCE] for start in range(0, len(wanted), AT_ONCE))


def _stored(row: Row, votes: tuple[CommittedVote, ...], given: Odds | None) -> Stored:
    names = [name for name in PredictionMarket.__dataclass_fields__ if name != "question"]
    question = Question.from_plain(canonical.read(row.question))
    told = canonical.read(row.commitment) if row.commitment else None
    return Stored(
        market=PredictionMarket(question=question, **{name: getattr(row, name) for name in names}),
        number=row.number,
        commitment=Commitment(**told, votes=votes) if told else None,
        odds=given,
        settlement=row.outcome and Settlement(row.outcome, row.resolved_at, row.evidence, row.resolved_by),
        seq=row.seq,
        hash=row.hash,
    )
