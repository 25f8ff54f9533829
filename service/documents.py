"""The fields that every published document begins with, and how a document shows a number that may be unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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


def rounded(value: float | None, digits: int) -> float | None:
    """A number as a document shows it: rounded, None where it is unknown."""
    return None if value is None else round(value, digits)
