"""The other coins that were asked about: at most so many, with their bars and what voters forecast from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, select, update

from service import canonical
from service.forecasting.voters.context import Context
from service.market.bars import CoinBars
from service.market.instants import HOUR
from service.store import bars
from service.store.database import put_rows
from service.store.pages import COIN_LIST, coin_lists
from service.store.tables import coin

MOST_COINS = 50


@dataclass(frozen=True)
class StoredCoin:
    """A coin at the world second `as_of`; `source` is the origin of its bars.

    `context` is None if there is too little history to forecast from; `refusal` then says so, and is empty otherwise.
    """

    as_of: int
    source: str
    context: Context | None
    refusal: str = ""


def save_coin_list(db: Connection, keys: Collection[str], as_of: int) -> None:
    """Store the keys of the coins that may be asked about, in place of an older list."""
    coin_lists.save(db, COIN_LIST, sorted(keys), as_of=as_of)


def listed_coins(db: Connection) -> frozenset[str]:
    """The keys of the coins that may be asked about; none before the first list."""
    return frozenset(coin_lists.find(db, COIN_LIST) or ())


def find_coin(db: Connection, key: str) -> StoredCoin | None:
    row = db.execute(select(coin.c.as_of, coin.c.body).where(coin.c.asset == key)).first()
    if row is None:
        return None
    plain = canonical.read(row.body)
    context = Context.from_plain(plain["context"]) if plain["context"] else None
    return StoredCoin(row.as_of, plain["source"], context, plain["refusal"])


def save_coin(db: Connection, key: str, entry: StoredCoin, asked_at: int) -> None:
    """Store a coin that was asked about at the world second `asked_at`, in place of its earlier state."""
    plain = entry.context.to_plain() if entry.context else None
    body = canonical.write({"source": entry.source, "context": plain, "refusal": entry.refusal})
    row = {"asset": key, "asked_at": asked_at, "needed_until": 0, "as_of": entry.as_of, "body": body}
    put_rows(db, coin, [row], constant="needed_until")


def need_coin(db: Connection, key: str, asked_at: int, until: int) -> None:
    """Keep a coin, which was asked about at `asked_at`, at least until the world second `until`."""
    greatest = func.max if db.dialect.name == "sqlite" else func.greatest
    values = {"asked_at": asked_at, "needed_until": greatest(coin.c.needed_until, until)}
    db.execute(update(coin).where(coin.c.asset == key).values(values))


def needed_coins(db: Connection, now: int) -> list[str]:
    """The coins with open answers at the world second `now`."""
    return list(db.scalars(select(coin.c.asset).where(coin.c.needed_until > now).order_by(coin.c.asset)))


def make_room(db: Connection, key: str, now: int) -> bool:
    """Delete the coins that were asked about longest ago until `key` has room; False where open answers leave none."""
    rows = db.execute(select(coin.c.asset, coin.c.needed_until).order_by(coin.c.asked_at, coin.c.asset)).all()
    surplus = 0 if key in {row.asset for row in rows} else len(rows) + 1 - MOST_COINS
    idle = [row.asset for row in rows if row.needed_until <= now]
    for asset in idle[: max(surplus, 0)]:
        bars.drop_bars(db, asset)
        db.execute(delete(coin).where(coin.c.asset == asset))
    return surplus <= len(idle)


def coin_bars(db: Connection, key: str, step: int, since: int, fine_since: int, until: int) -> CoinBars:
    """The hourly bars of a coin from `since` on, and those of `step` seconds from `fine_since` on."""
    return CoinBars(bars.load_bars(db, key, since, until, HOUR), bars.load_bars(db, key, fine_since, until, step))


def add_coin_bars(db: Connection, key: str, series: CoinBars) -> None:
    """Store bars that are not stored yet, and replace the hours that were built from shorter bars."""
    bars.add_bars(db, key, series.feed)
    bars.renew_bars(db, key, series.built)
    bars.add_bars(db, key, series.hourly)
