"""The headers of documents that are computed from bars."""

from __future__ import annotations

from collections.abc import Mapping

from service.documents import DocumentHeader, World
from service.market.instants import iso
from service.market.months import ends, month_of

# A document is stale once this many consecutive bars are missing.
MISSED_BARS = 3


def header(
    made_at: int, as_of: int, *, step: int, world: World, sources: Mapping[str, str], every_s: int = 0
) -> DocumentHeader:
    """The header of a document computed at `made_at` from bars that end at `as_of`, unix seconds of world time.

    `step` is seconds between two bars, `every_s` between two computations where that is not one per bar. The document
    is stale after `every_s` and MISSED_BARS further bars.
    """
    return DocumentHeader(
        timestamp=iso(made_at),
        as_of=iso(as_of),
        stale_after=iso(as_of + every_s + MISSED_BARS * step),
        world=world,
        sources=dict(sources),
    )


def month_header(made_at: int, month: str, *, world: World, sources: Mapping[str, str]) -> DocumentHeader:
    """The header of a document about a closed month, computed at the unix second `made_at` of world time.

    The document is stale once the next month has closed.
    """
    end = ends(month)
    return header(made_at, end, step=0, world=world, sources=sources, every_s=ends(month_of(end)) - end)
