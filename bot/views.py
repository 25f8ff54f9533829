"""The bot's views: each reads its documents and returns a page, for a command and for a button alike."""

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
class ViewRequest:
    """A person's request for a view: the `argument` as typed or carried by a button, and the index of the page."""

    service: Service
    store: Store
    user_id: int
    chat_id: int
    now: datetime
    argument: str
    page: int

    @property
    def word(self) -> str:
        """The argument as a key of the API: lower case, words joined by underscores."""
        return "_".join(self.argument.lower().split())


async def lanes(request: ViewRequest) -> Page:
    venue = request.word or None
    text = messages.lanes(await request.service.battle(), venue, now=request.now)
    return Page(text, keyboards.lanes(venue))


async def lane(request: ViewRequest) -> Page:
    battle = await request.service.battle()
    names = [lane["name"] for lane in battle["lanes"]]
    text = messages.lane(battle, request.word, now=request.now)
    return Page(text, keyboards.lane(request.word if request.word in names else None, names))


async def top(request: ViewRequest) -> Page:
    asset = request.word or None
    if asset and asset not in keyboards.RANKED:
        return Page(notices.unknown_asset(keyboards.RANKED), keyboards.top(None))
    leaderboard = await request.service.leaderboard(asset)
    return Page(messages.top(leaderboard, asset, now=request.now), keyboards.top(asset))


async def strategy(request: ViewRequest) -> Page:
    document = await request.service.strategy(request.word)
    return Page(messages.strategy(document, now=request.now), keyboards.charted("strategy", document["key"]))


async def hospital(request: ViewRequest) -> Page:
    snapshot = await request.service.hospital()
    categories = sorted({strategy["category"] for strategy in snapshot["strategies"]})
    pages = messages.hospital(snapshot, request.word or None, now=request.now)
    index = min(request.page, len(pages) - 1)
    chosen = request.word if request.word in categories else ""
    return Page(pages[index], keyboards.hospital(chosen, categories, index, len(pages)))


async def markets(request: ViewRequest) -> Page:
    document = await request.service.predictions()
    pages = messages.markets(document, now=request.now)
    index = min(request.page, len(pages) - 1)
    first = index * messages.MARKETS_A_PAGE
    ids = [market["id"] for market in document["markets"][first : first + messages.MARKETS_A_PAGE]]
    token = await asyncio.to_thread(request.store.keep, request.chat_id, "markets", {"markets": ids})
    return Page(pages[index], keyboards.markets(token, first + 1, len(ids), index, len(pages)))


async def challenges(request: ViewRequest) -> Page:
    document = await request.service.challenges()
    pages = messages.challenges(document)
    index = min(request.page, len(pages) - 1)
    first = index * messages.CHALLENGES_A_PAGE
    shown = document["challenges"][first : first + messages.CHALLENGES_A_PAGE]
    return Page(pages[index], keyboards.challenges([challenge["number"] for challenge in shown], index, len(pages)))


async def challenge(request: ViewRequest) -> Page:
    document = await request.service.challenge(int(request.argument))
    number, is_open = document["number"], document["status"] == "open"
    is_author = await asyncio.to_thread(request.store.is_author, request.user_id, number)
    return Page(messages.challenge(document, is_author), keyboards.challenge(number, is_open=is_open))


async def accuracy(request: ViewRequest) -> Page:
    text = messages.accuracy(await request.service.ai_vs_market(), now=request.now)
    return Page(text, keyboards.charted("accuracy"))


async def news(request: ViewRequest) -> Page:
    return Page(messages.news(await request.service.news(), now=request.now), keyboards.reload("news"))


async def streaks(request: ViewRequest) -> Page:
    return Page(messages.streaks(await request.service.streaks(), now=request.now), keyboards.reload("streaks"))


async def fund(request: ViewRequest) -> Page:
    return Page(messages.fund(await request.service.fund(), now=request.now), keyboards.charted("fund"))


async def brain(request: ViewRequest) -> Page:
    return Page(messages.brain(await request.service.apex(), now=request.now), keyboards.reload("brain"))


async def quota(request: ViewRequest) -> Page:
    usage = await request.service.for_user(request.user_id).usage()
    return Page(messages.quota(usage), keyboards.reload("quota"))


async def alerts(request: ViewRequest) -> Page:
    switches = await asyncio.to_thread(request.store.switches, request.user_id)
    digest = await asyncio.to_thread(request.store.digest, request.user_id)
    return Page(messages.alerts(switches, digest), keyboards.alerts(switches))


async def hours(_request: ViewRequest) -> Page:
    return Page(notices.choose_hour(), keyboards.hours())


async def zones(_request: ViewRequest) -> Page:
    return Page(notices.choose_zone(), keyboards.zones())


View = Callable[[ViewRequest], Awaitable[Page]]
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
