"""What the sources have given of each asset's bars, by the asset and the length of the bars."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from sqlalchemy import Connection, select

from service import canonical
from service.market.coverage import Coverage, History, history_of
from service.market.instants import HOUR
from service.store.plain import PlainTable
from service.store.tables import coverage as table

_TABLE = PlainTable(table)


def find(db: Connection, asset: str, step: int) -> Coverage | None:
    """The coverage of an asset's bars of `step` seconds; None before the first fetch."""
    plain = _TABLE.find(db, f"{asset}/{step}")
    return Coverage.from_plain(plain) if plain else None


def change(
    db: Connection, asset: str, step: int, unused: Coverage, change: Callable[[Coverage], Coverage]
) -> tuple[Coverage, Coverage]:
    """Store what `change` makes of the coverage, which is `unused` before the first fetch; returns both.

    Only one process at a time changes it. Bars are wanted from where `unused` says.
    """
    series = f"{asset}/{step}"
    _TABLE.add(db, series, unused.to_plain())
    body = db.scalar(select(table.c.body).where(table.c.series == series).with_for_update())
    before = replace(Coverage.from_plain(canonical.read(body)) if body else unused, wanted_from=unused.wanted_from)
    after = change(before)
    _TABLE.save(db, series, after.to_plain())
    return before, after


def ask_again(db: Connection) -> None:
    """Let the sources be asked again for what none of them had, as at a start with other ones."""
    for series, plain in _TABLE.every(db).items():
        _TABLE.save(db, series, plain | {"asked_at": 0})


def histories(db: Connection, assets: Iterable[str], step: int, now: int) -> dict[str, History]:
    """The hourly history at the world second `now` of the assets that were asked for; the feed's bars have `step`."""
    stored = {series: Coverage.from_plain(plain) for series, plain in _TABLE.every(db).items()}
    result = {}
    for asset in assets:
        if (hourly := stored.get(f"{asset}/{HOUR}")) and (fine := stored.get(f"{asset}/{step}")):
            result[asset] = history_of(asset, hourly, fine, now)
    return result
