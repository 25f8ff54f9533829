"""The fields that every published document begins with, and dataclasses that are stored as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Self

if TYPE_CHECKING:
    from pydantic import TypeAdapter

World = Literal["simulated", "replay", "live"]


@dataclass(frozen=True)
class DocumentHeader:
    """When a document was computed, which data it covers, and where that data came from.

    `timestamp`, `as_of` and `stale_after` are ISO 8601 in UTC. `as_of` is the end of the last bar that was available,
    never the instant of serving. A document that is still the newest one after `stale_after` means that its source or
    its job has stopped. `sources` names the origin of each input.
    """

    timestamp: str
    as_of: str
    stale_after: str
    world: World
    sources: dict[str, str]


@dataclass(frozen=True)
class _Schema:
    """The name and version of a document's shape, such as `widget/1`."""

    schema: str


# A dataclass takes the fields of its last base first: in JSON, `schema` precedes the header.
@dataclass(frozen=True)
class Document(DocumentHeader, _Schema):
    """The base of every document that a job publishes."""


@dataclass(frozen=True)
class RecordHeader(DocumentHeader):
    """The header of a document that follows from the rows of the ledger up to number `ledger_seq`."""

    ledger_seq: int


@dataclass(frozen=True)
class RecordDocument(RecordHeader, Document):
    """The base of such a document."""


def rounded(value: float | None, digits: int) -> float | None:
    """A number as a document shows it: rounded, None where it is unknown."""
    return None if value is None else round(value, digits)


def usd(amount: float) -> float:
    """USD to the cent."""
    return round(float(amount), 2)


def percent(fraction: float) -> float:
    """A fraction as percent, to four decimals."""
    return round(100 * float(fraction), 4)


@cache
def adapter(kind: type) -> TypeAdapter[Any]:
    """What reads and writes values of a kind as JSON; imported here, because front ends without pydantic need none."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


class JsonRecord:
    """A dataclass, of others and plain values, that JSON carries without loss."""

    def to_plain(self) -> dict[str, Any]:
        return asdict(self)  # type: ignore[call-overload]

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """The record of which `plain` is the dict; what it does not know is left out. Raises ValueError."""
        return adapter(cls).validate_python(plain)
