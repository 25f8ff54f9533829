"""The inputs of the voters as they are published: the text whose hash the ledger holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from pydantic_core import to_json

from service.documents import World
from service.forecasting.densities.models import MODELS
from service.forecasting.voters.context import Context
from service.forecasting.voters.inputs import SEAT_INPUTS, WINDOW
from service.market.instants import iso


class VoteInputs(NamedTuple):
    """The inputs of the votes on questions about `asset`, first cast at the unix second `voted_at`.

    `hash` is the SHA-256 of `body`, which is canonical JSON.
    """

    hash: str
    voted_at: int
    asset: str
    body: str


@dataclass(frozen=True)
class VoterInputs:
    """What a voter reads of a context: its embedded engine the names of `variance`, beside `spot` and `level`.

    A language model in its seat is told of `inputs`, and of what the `calendar` of a horizon gives.
    """

    inputs: tuple[str, ...]
    variance: tuple[str, ...]
    calendar: tuple[str, ...]


@dataclass(frozen=True)
class FitsName:
    """Which fits the voters used: the version of their arithmetic, and the unix second `slot` that they end at."""

    version: str
    slot: int


@dataclass(frozen=True)
class CommittedInputs:
    """The contexts of the assets of a question, and the fits; null before the first fit."""

    contexts: dict[str, Context]
    fits: FitsName | None


@dataclass(frozen=True)
class FeaturesRow:
    """The inputs of all votes whose `features` is `hash`: the SHA-256 of the canonical JSON of `inputs`."""

    hash: str
    voted_at: str
    asset: str
    inputs: CommittedInputs


@dataclass(frozen=True)
class FeaturesDocument:
    """A page of inputs, the oldest first; `next` is the cursor of the next page, null on the last."""

    schema: str
    world: World
    count: int
    next: str | None
    voters: dict[str, VoterInputs]
    rows: tuple[FeaturesRow, ...]


def by_voter() -> dict[str, VoterInputs]:
    """What each voter reads."""
    inputs_of = {voter: SEAT_INPUTS.get(voter, ()) for voter in MODELS}
    return {
        voter: VoterInputs(
            inputs=tuple(name for name in names if name not in WINDOW),
            variance=MODELS[voter].names,
            calendar=tuple(name for name in names if name in WINDOW),
        )
        for voter, names in inputs_of.items()
    }


def features_json(rows: Iterable[VoteInputs], *, world: World, next: str | None) -> bytes:
    """The FeaturesDocument of these rows; the text of their inputs is the one that was hashed, byte for byte."""
    shown = [row_json(row) for row in rows]
    header = {"schema": "features/1", "world": world, "count": len(shown), "next": next, "voters": by_voter()}
    return to_json(header)[:-1] + b',"rows":[' + b",".join(shown) + b"]}"


def row_json(row: VoteInputs) -> bytes:
    """The FeaturesRow of these inputs."""
    fields = to_json({"hash": row.hash, "voted_at": iso(row.voted_at), "asset": row.asset})
    return fields[:-1] + b',"inputs":' + row.body.encode() + b"}"
