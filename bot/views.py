"""What can be looked at: each view asks for what it shows and gives a page, the same for a command and for a button."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from bot import keyboards, messages
from bot.keyboards import Page
from bot.messages import notices
from bot.service import Service
from bot.store import Store


@dataclass(frozen=True)
class Request:
    """Who wants to see what, when: an `argument` as it was typed or stands in a button, and of several pages which."""

    service: Service
    store: Store
    user_id: int
    chat_id: int
    now: datetime
    argument: str
    page: int

    @property
    def word(self) -> str:
        """The argument as one of the API's words: lower case, joined by underscores."""
        return "_".join(self.argument.lower().split())


async def lanes(request: Request) -> Page:
    venue = request.word or None
    text = messages.lanes(await request.service.battle(), venue, now=request.now)
    return Page(text, keyboards.lanes(venue))


async def lane(request: Request) -> Page:
    battle = await request.service.battle()
    names = [one["name"] for one in battle["lanes"]]
    text = messages.lane(battle, request.word, now=request.now)
    return Page(text, keyboards.lane(request.word if request.word in names else None, names))


async def top(request: Request) -> Page:
    asset = request.word or None
    if asset and asset not in keyboards.RANKED:
        return Page(notices.unknown_asset(keyboards.RANKED), keyboards.top(None))
    told = await request.service.leaderboard(asset)
    return Page(messages.top(told, asset, now=request.now), keyboards.top(asset))


async def strategy(request: Request) -> Page:
    told = await request.service.strategy(request.word)
    return Page(messages.strategy(told, now=request.now), keyboards.charted("strategy", told["key"]))


async def hospital(request: Request) -> Page:
    told = await request.service.hospital()
    known = sorted({one["category"] for one in told["strategies"]})
    pages = messages.hospital(told, request.word or None, now=request.now)
    place = min(request.page, len(pages) - 1)
    chosen = request.word if request.word in known else ""
    return Page(pages[place], keyboards.hospital(chosen, known, place, len(pages)))


async def markets(request: Request) -> Page:
    told = await request.service.predictions()
    pages = messages.markets(told, now=request.now)
    place = min(request.page, len(pages) - 1)
    first = place * messages.MARKETS_A_PAGE
    shown = [one["id"] for one in told["markets"][first : first + messages.MARKETS_A_PAGE]]
    token = await asyncio.to_thread(request.store.keep, request.chat_id, "markets", {"markets": shown})
    return Page(pages[place], keyboards.markets(token, first + 1, len(shown), place, len(pages)))


async def challenges(request: Request) -> Page:
    told = await request.service.challenges()
    pages = messages.challenges(told)
    place = min(request.page, len(pages) - 1)
    first = place * messages.CHALLENGES_A_PAGE
    shown = [one["number"] for one in told["challenges"][first : first + messages.CHALLENGES_A_PAGE]]
    return Page(pages[place], keyboards.challenges(shown, place, len(pages)))


async def challenge(request: Request) -> Page:
    told = await request.service.challenge(int(request.argument))
    mine = await asyncio.to_thread(request.store.is_author, request.user_id, told["number"])
    return Page(messages.challenge(told, mine), keyboards.challenge(told["number"], is_open=told["status"] == "open"))


async def accuracy(request: Request) -> Page:
    text = messages.accuracy(await request.service.ai_vs_market(), now=request.now)
    return Page(text, keyboards.charted("accuracy"))


async def news(request: Request) -> Page:
    return Page(messages.news(await request.service.news(), now=request.now), keyboards.reload("news"))


async def streaks(request: Request) -> Page:
    return Page(messages.streaks(await request.service.streaks(), now=request.now), keyboards.reload("streaks"))


async def fund(request: Request) -> Page:
    return Page(messages.fund(await request.service.fund(), now=request.now), keyboards.charted("fund"))


async def brain(request: Request) -> Page:
    return Page(messages.brain(await request.service.apex(), now=request.now), keyboards.reload("brain"))


async def quota(request: Request) -> Page:
    usage = await request.service.for_user(request.user_id).usage()
    return Page(messages.quota(usage), keyboards.reload("quota"))


async def alerts(request: Request) -> Page:
    switches = await asyncio.to_thread(request.store.switches, request.user_id)
    digest = await asyncio.to_thread(request.store.digest, request.user_id)
    return Page(messages.alerts(switches, digest), keyboards.alerts(switches))


async def hours(_request: Request) -> Page:
    return Page(notices.choose_hour(), keyboards.hours())


async def zones(_request: Request) -> Page:
    return Page(notices.choose_zone(), keyboards.zones())


View = Callable[[Request], Awaitable[Page]]
VIEWS: dict[str, View] = {
    view.__name__: view
    for view in (
        lanes,
        lane,
        top,
        strategy,
        hospital,
        markets,
        challenges,
        challenge,
        accuracy,
        news,
        streaks,
        fund,
        brain,
        quota,
        alerts,
        hours,
        zones,
    )
}
