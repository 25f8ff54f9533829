"""The bot's views: each reads its documents and returns a page, for a command and for a button alike."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from bot import keyboards, messages
from bot.keyboards import Page, posting, sharing
from bot.languages import translate
from bot.messages import notices
from bot.messages.follows import CHALLENGE
from bot.messages.oracle import has_price
from bot.messages.research import TOPICS
from bot.service import Document, Service
from bot.store import OwnCall, Store
from service.client import ClientError, HistoryPending, NotFound, Unavailable

OWN_CALLS, OWN_ANSWERS = 50, 50  # the newest of a person, on their page
MAX_READS = 10  # documents that are read one by one, of those that are in neither list


@dataclass(frozen=True)
class ViewRequest:
    """A person's request for a view: the `argument` as typed or carried by a button, and the index of the page.

    `username` is the bot's, for links to it.
    """

    service: Service
    store: Store
    username: str
    user_id: int
    chat_id: int
    now: datetime
    argument: str
    page: int


async def _asset(request: ViewRequest, name: str) -> Page:
    """The price or the forecast of one asset, or of all."""
    document, levels = await request.service.prices(), []
    quotes = {quote["asset"]: quote["price"] for quote in document["prices"]}
    asset = messages.prices.find_asset(request.argument, quotes)
    if asset is None and request.argument:
        text = notices.unknown_asset(name, list(quotes))
    elif name == "forecast" and asset:
        text = messages.prices.forecast(await request.service.forecast(asset), now=request.now)
    elif name == "forecast":
        text = messages.prices.forecasts(await _forecasts(request.service, quotes), now=request.now)
    elif asset:
        text = messages.prices.one_price(document, asset, now=request.now)
        levels = messages.prices.price_levels(quotes[asset])
    else:
        text = messages.prices.prices(document, now=request.now)
    return Page(text, keyboards.assets(name, asset or "", list(quotes), levels), (name, asset) if asset else None)


async def _forecasts(service: Service, keys: Iterable[str]) -> list[Document]:
    """The forecast of each asset that has one; HistoryPending where none has and the history is still arriving."""
    documents, pending = [], None
    for key in keys:
        try:
            documents.append(await service.forecast(key))
        except HistoryPending as error:
            pending = error
        except (NotFound, Unavailable):
            continue
    if pending and not documents:
        raise pending
    return documents


async def settings(request: ViewRequest) -> Page:
    """Those of a person, or in a group those of the group."""
    if request.chat_id < 0:
        switches = await asyncio.to_thread(request.store.switches, request.chat_id)
        return Page(messages.alerts.group_settings(), keyboards.group_settings(switches))
    theme = await asyncio.to_thread(request.store.setting, request.user_id, "theme")
    return Page(translate(notices.SETTINGS), keyboards.settings(theme or ""))


async def markets(request: ViewRequest) -> Page:
    document = await request.service.predictions()
    market_ids = [market["id"] for market in document["markets"]]
    own_votes = await asyncio.to_thread(request.store.votes_of, request.user_id, market_ids)
    pages = messages.predictions.markets(document, own_votes, now=request.now)
    index = min(request.page, len(pages) - 1)
    first = index * messages.predictions.MARKETS_A_PAGE
    ids = market_ids[first : first + messages.predictions.MARKETS_A_PAGE]
    token = await asyncio.to_thread(request.store.keep, request.chat_id, "markets", {"markets": ids, "page": index})
    return Page(pages[index], keyboards.markets(token, first + 1, len(ids), index, len(pages)))


async def market(request: ViewRequest) -> Page:
    """A market or a challenge."""
    document = await request.service.for_user(request.user_id).market(request.argument)
    world, market_id = (await request.service.prices())["world"], document["id"]
    is_open, number = document["status"] == "open", document.get("number")
    is_author = bool(number) and await asyncio.to_thread(request.store.is_author, request.user_id, number)
    is_followed = await asyncio.to_thread(request.store.is_following, request.user_id, "market", market_id)
    text = messages.predictions.one_market(document | {"world": world}, is_author=is_author)
    share = sharing(request.username, "market", market_id, document["question"])
    levels = messages.predictions.chance_levels(document) if is_open else []
    is_charted = is_open and document["ai"] is not None and has_price(document["understood"])
    parts = {"is_open": is_open, "is_followed": is_followed, "is_charted": is_charted}
    address = posting(request.username, number) if number else None
    return Page(text, keyboards.market(market_id, share, levels, address, **parts))


async def challenge(request: ViewRequest) -> Page:
    """A challenge by its number."""
    return await market(replace(request, argument=f"{CHALLENGE}{request.argument}"))


async def me(request: ViewRequest) -> Page:
    person = request.service.for_user(request.user_id)
    calls, answers, usage, resolutions = await asyncio.gather(
        asyncio.to_thread(request.store.own_calls, request.user_id, OWN_CALLS),
        person.answers(limit=OWN_ANSWERS, votes="none"),
        person.usage(),
        request.service.resolved_markets(),
    )
    called_entries = await called_markets(request.service, calls)
    text = messages.own_page.own_page(called_entries, answers["answers"], usage["forecaster"], resolutions)
    listed = [answer["id"] for answer in answers["answers"][: messages.own_page.QUESTIONS]]
    return Page(text, keyboards.me(listed))


async def forecasters(request: ViewRequest) -> Page:
    document, usage = await asyncio.gather(
        request.service.forecasters(), request.service.for_user(request.user_id).usage()
    )
    name = usage["forecaster"]
    entries = (await request.service.forecaster(name))["entries"] if name else []
    text = messages.own_page.forecasters(document, entries[0] if entries else None, name)
    return Page(text, keyboards.reload("forecasters", "", keyboards.show("My page", "me")))


async def following(request: ViewRequest) -> Page:
    follows = await asyncio.to_thread(request.store.follows_of, request.user_id)
    prices = {quote["asset"]: quote["price"] for quote in (await request.service.prices())["prices"]} if follows else {}
    text = messages.follows.following(follows, prices)
    return Page(text, keyboards.following([follow.number for follow in follows]))


async def ending(request: ViewRequest) -> Page:
    """Whether all that the person follows, or what is about the asset of the argument, should end."""
    follows = await asyncio.to_thread(request.store.follows_of, request.user_id)
    follows = [follow for follow in follows if request.argument in ("", follow.target.subject)]
    if not follows:
        text = messages.follows.NO_ALERT if request.argument else messages.follows.NO_ALERTS
        return Page(translate(text), keyboards.rows([keyboards.show("What I follow", "following")]))
    buttons = [keyboards.button("Delete", f"end:follows:{request.argument}"), keyboards.show("Keep", "following")]
    return Page(messages.follows.ending(follows), keyboards.rows(buttons))


async def challenges(request: ViewRequest) -> Page:
    document = await request.service.challenges()
    pages = messages.predictions.challenges(document)
    index = min(request.page, len(pages) - 1)
    first = index * messages.predictions.CHALLENGES_A_PAGE
    entries = document["challenges"][first : first + messages.predictions.CHALLENGES_A_PAGE]
    return Page(pages[index], keyboards.challenges([challenge["number"] for challenge in entries], index, len(pages)))


async def _research(request: ViewRequest, name: str = "") -> Page:
    """One topic or every one; one that the service does not have yet is left out of all."""
    topics = [name] if name else list(TOPICS)
    calls = (getattr(request.service, TOPICS[topic].method)() for topic in topics)
    reads = await asyncio.gather(*calls, return_exceptions=True)
    documents = {name: read for name, read in zip(topics, reads, strict=True) if not isinstance(read, BaseException)}
    failure = next((read for read in reads if isinstance(read, BaseException)), None)
    if failure and not (documents and isinstance(failure, ClientError)):
        raise failure
    text = messages.research.research(documents, request.service.home, now=request.now)
    others = [keyboards.show("Research", "research")] if name else []
    return Page(text, keyboards.reload(name or "research", "", *others))


async def quota(request: ViewRequest) -> Page:
    usage = await request.service.for_user(request.user_id).usage()
    return Page(messages.oracle.quota(usage), keyboards.reload("quota"))


async def alerts(request: ViewRequest) -> Page:
    switches = await asyncio.to_thread(request.store.switches, request.user_id)
    hour, quiet_hours = (request.store.setting(request.user_id, name) for name in ("hour", "quiet"))
    return Page(messages.alerts.alerts(hour, quiet_hours), keyboards.alerts(switches))


async def _choice(_request: ViewRequest, choice: tuple[str, str, str]) -> Page:
    text, setting, back = choice
    return Page(translate(text), keyboards.choices(setting, back))


PAGES = (settings, market, me, forecasters, following, ending, challenge, quota, markets, challenges, alerts)
VIEWS: dict[str, Callable[[ViewRequest], Awaitable[Page]]] = {view.__name__: view for view in PAGES}
# The choices of settings: what is asked, the setting, and the view to go back to.
CHOICE_VIEWS = {
    "hours": (notices.CHOOSE_HOUR, "hour", "alerts"),
    "zones": (notices.CHOOSE_ZONE, "zone", "alerts"),
    "quiet": (notices.CHOOSE_QUIET_HOURS, "quiet", "alerts"),
    "language": (notices.CHOOSE_LANGUAGE, "language", ""),
}
VIEWS |= {name: partial(_choice, choice=choice) for name, choice in CHOICE_VIEWS.items()}
VIEWS |= {name: partial(_research, name=name) for name in TOPICS} | {"research": _research}
VIEWS |= {name: partial(_asset, name=name) for name in ("price", "forecast")}


async def called_markets(service: Service, calls: Sequence[OwnCall]) -> list[tuple[OwnCall, Document]]:
    """Each vote or forecast with its market or challenge, without those that are not found."""
    resolutions, still_open = await asyncio.gather(service.resolved_markets(), service.predictions())
    documents = {market["id"]: market for document in (still_open, resolutions) for market in document["markets"]}
    missing = [call.prediction_id for call in calls if call.prediction_id not in documents][:MAX_READS]
    singles = await asyncio.gather(*(_document(service, prediction_id) for prediction_id in missing))
    documents |= {name: document for name, document in zip(missing, singles, strict=True) if document}
    return [(call, documents[call.prediction_id]) for call in calls if call.prediction_id in documents]


async def _document(service: Service, prediction_id: str) -> Document | None:
    try:
        return await service.market(prediction_id)
    except NotFound:
        return None
