"""The documents that the jobs publish, as this process last read them.

A document is read from the database at most once a second, because reading takes longer than responding.
"""

from __future__ import annotations

from flask import Flask, current_app

from service.api.arrival import not_yet
from service.api.services import services
from service.errors import ResourceNotFound
from service.market.prices import AssetPrice
from service.store import prices, snapshots
from service.store.snapshots import Snapshot

KEPT_S = 1.0


def register(app: Flask) -> None:
    """Give `app` its cache of documents: for each name the time of reading and the snapshot."""
    app.extensions["ninefold-snapshots"] = {}


def latest(name: str) -> Snapshot:
    """The latest document of a name; before the first one raises ServiceUnavailable, which says how long it takes."""
    snapshot = find(name)
    if snapshot is None:
        raise not_yet(services())
    return snapshot


def find(name: str) -> Snapshot | None:
    """The latest document of a name; None before the first one."""
    extensions = current_app.extensions
    cache, services = extensions["ninefold-snapshots"], extensions["ninefold"]
    now = services.now()
    read_at, snapshot = cache.get(name, (0.0, None))
    if snapshot is None or not 0 <= now - read_at < KEPT_S:
        with services.database.reading() as db:
            snapshot = snapshots.latest(db, name)
        if snapshot:
            cache[name] = now, snapshot
    return snapshot


def price_of(asset: str) -> AssetPrice:
    """The last price of an asset; raises ResourceNotFound where this world has no bars of it."""
    require_listed(asset)
    by_asset = prices.by_asset(prices.read(latest("prices")))
    if asset not in by_asset:
        raise ResourceNotFound(f"This world has no bars of {asset}; it has {', '.join(by_asset)}.")
    return by_asset[asset]


def require_listed(asset: str) -> None:
    """Raise ResourceNotFound, with the reason, for an asset that no source of this world has."""
    snapshot = find("prices")
    history = prices.read(snapshot).histories.get(asset) if snapshot else None
    if history and history.state == "absent":
        raise ResourceNotFound(f"This world has no bars of {asset}: {history.detail}.")
