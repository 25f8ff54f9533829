"""What can be drawn: each asks for what it shows and draws it in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from bot import charts
from bot.service import Document, Service

Drawing = tuple[bytes, Document]  # a PNG and the document that its caption is written from


async def lanes(service: Service, venue: str | None) -> Drawing:
    """All lanes, or those of a venue."""
    history, battle = await service.battle_history(), await service.battle()
    shown = {**history, "lanes": [one for one in history["lanes"] if venue in (None, one["venue"])]}
    return await asyncio.to_thread(charts.lanes, shown, battle), shown


async def lane(service: Service, name: str | None) -> Drawing:
    history, battle = await service.battle_history(name), await service.battle()
    return await asyncio.to_thread(charts.lane, history, battle, name), history


async def strategy(service: Service, key: str | None) -> Drawing:
    told = await service.strategy(key or "")
    return await asyncio.to_thread(charts.strategy, told), told


async def accuracy(service: Service, _argument: str | None) -> Drawing:
    told = await service.ai_vs_market()
    return await asyncio.to_thread(charts.accuracy, told), told


async def fund(service: Service, _argument: str | None) -> Drawing:
    told = await service.fund()
    return await asyncio.to_thread(charts.fund, told), told


DRAWINGS: dict[str, Callable[[Service, str | None], Awaitable[Drawing]]] = {
    drawing.__name__: drawing for drawing in (lanes, lane, strategy, accuracy, fund)
}
