"""Every chart that can be requested: each function reads its documents and draws them in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from bot import charts
from bot.service import Document, Service

Photo = tuple[bytes, Document]  # a PNG, and the document from which its caption is written


async def lanes(service: Service, venue: str | None) -> Photo:
    """All lanes, or those of one venue."""
    history, battle = await service.battle_history(), await service.battle()
    shown = {**history, "lanes": [lane for lane in history["lanes"] if venue in (None, lane["venue"])]}
    return await asyncio.to_thread(charts.lanes, shown, battle), shown


async def lane(service: Service, name: str | None) -> Photo:
    history, battle = await service.battle_history(name), await service.battle()
    return await asyncio.to_thread(charts.lane, history, battle, name), history


async def strategy(service: Service, key: str | None) -> Photo:
    document = await service.strategy(key or "")
    return await asyncio.to_thread(charts.strategy, document), document


async def accuracy(service: Service, _argument: str | None) -> Photo:
    document = await service.ai_vs_market()
    return await asyncio.to_thread(charts.accuracy, document), document


async def fund(service: Service, _argument: str | None) -> Photo:
    document = await service.fund()
    return await asyncio.to_thread(charts.fund, document), document


PHOTOS: dict[str, Callable[[Service, str | None], Awaitable[Photo]]] = {
    photo.__name__: photo for photo in (lanes, lane, strategy, accuracy, fund)
}
