"""Every chart that can be requested: reading its documents, drawing it, writing the caption, and sending the photo."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from telegram import Update
from telegram.constants import ChatAction, ChatType
from telegram.error import TelegramError

from bot import charts, keyboards, updates
from bot.charts import THEMES, ChartTheme
from bot.context import BotContext
from bot.delivery import reply
from bot.drawing import DrawingThread
from bot.keyboards import CHART_PERIODS, Page, opening
from bot.languages import SOURCE, spoken
from bot.messages import captions
from bot.messages.oracle import headline
from bot.periods import ALL_TIME, LENGTHS, start
from bot.service import Document, Service
from service.client import BadRequest, ClientError, NotFound, Unavailable

BARS = {"24h": "5m", "7d": "1h", "30d": "1h", ALL_TIME: "1d"}
LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class PhotoRequest:
    """A request for a chart: the `argument` is what it shows, such as an asset.

    `answer` is that of a question, `address` opens what is shown in the bot.
    """

    service: Service
    drawing: DrawingThread
    theme: ChartTheme
    kind: str
    argument: str
    period: str
    answer: Document | None = None
    address: str | None = None

    async def page(self, caption: str, chart: Callable[..., bytes], *values: object) -> Page:
        """The chart of these values in the request's theme, with buttons for its periods."""
        picture = await self.drawing.draw(chart, *values, self.theme)
        return Page(caption, keyboards.chart(self.kind, self.argument, self.period), picture=picture)


@dataclass(frozen=True)
class PriceDocuments:
    """The prices of all assets, that of one asset, its bars over a period, and its forecast if there is one."""

    prices: Document
    quote: Document
    candles: Document
    forecast: Document | None


async def price(request: PhotoRequest) -> Page:
    """The price of an asset, and its forecast."""
    read = await _price_documents(request, request.argument)
    caption = captions.price(read.prices, read.quote, read.forecast)
    values = (read.prices, read.quote, read.candles, read.forecast, request.period)
    return await request.page(caption, charts.price, *values)


async def forecast(request: PhotoRequest) -> Page:
    """The forecast of an asset's price as far as the period is long."""
    document = await request.service.forecast(request.argument)
    read = await _price_documents(request, request.argument)
    caption = captions.forecast(document, request.period)
    return await request.page(caption, charts.forecast, read.prices, read.quote, read.candles, document, request.period)


async def answer(request: PhotoRequest) -> Page:
    """The price, the level and the deadline of an answered question, and the forecast until then."""
    document = request.answer
    assert document is not None  # the button of an expired answer makes no request
    read = await _price_documents(request, document["understood"]["asset"])
    title = spoken(SOURCE, lambda: headline(document))  # charts are English, and their font has no Chinese
    values = (document, read.quote, read.candles, read.forecast, title)
    return await request.page(captions.answer(document, request.address), charts.answer, *values)


async def market(request: PhotoRequest) -> Page:
    """A market as a question that the AI answers now."""
    entry = await request.service.market(request.argument)
    prices, pool = await request.service.prices(), entry["ai_now"] or entry["ai"]
    if pool is None:
        raise LookupError(f"the AI has not voted on {request.argument}")
    spot = next(quote["price"] for quote in prices["prices"] if quote["asset"] == entry["asset"])
    document = {"understood": entry["understood"] | {"spot": spot}, "p_yes": pool["p_yes"], "consensus": None}
    document |= {"world": prices["world"], "as_of": prices["as_of"]}
    return await answer(replace(request, answer=document))


def default_period(kind: str, answer: Document | None) -> str:
    """The period of a chart until another one is chosen; for an answer about as long as the question looks ahead."""
    if answer is not None:
        horizon = timedelta(hours=answer["understood"]["horizon_hours"])
        return next((period for period, length in LENGTHS.items() if horizon <= length), "30d")
    return "7d" if "24h" in CHART_PERIODS[kind] else ALL_TIME


async def _price_documents(request: PhotoRequest, asset: str) -> PriceDocuments:
    service = request.service
    prices = await service.prices()
    quote = next((quote for quote in prices["prices"] if quote["asset"] == asset), None)
    if quote is None:
        raise LookupError(f"there is no price of {asset}")
    since = start(prices["as_of"], request.period)
    try:
        candles = await service.candles(asset, BARS[request.period], since)
    except BadRequest:  # the source has no bars of five minutes
        candles = await service.candles(asset, "1h", since)
    try:
        forecast = await service.forecast(asset)
    except (NotFound, Unavailable):
        forecast = None  # the chart says so
    return PriceDocuments(prices, quote, candles, forecast)


PHOTOS: dict[str, Callable[[PhotoRequest], Awaitable[Page]]] = {
    chart.__name__: chart for chart in (price, forecast, answer, market)
}


async def send(update: Update, context: BotContext, kind: str, argument: str, *, is_silent: bool = False) -> None:
    """Send a chart as a new message."""
    await updates.message(update).reply_chat_action(ChatAction.UPLOAD_PHOTO)
    await reply(context.bot, update, await photo(update, context, kind, argument), is_silent=is_silent)


async def follow(update: Update, context: BotContext, page: Page) -> None:
    """Send the chart that belongs to a page below it, without a second sound; if that fails, the page stands alone.

    In a group the page has only its button: Telegram allows twenty messages a minute there.
    """
    if page.chart is None or updates.chat(update).type != ChatType.PRIVATE or context.state.drawing.is_busy:
        return
    try:
        await send(update, context, *page.chart, is_silent=True)
    except (ClientError, TelegramError) as error:
        LOG.warning("a chart was not sent: %s", error)
    except Exception:
        LOG.exception("a chart was not drawn")


async def photo(update: Update, context: BotContext, kind: str, argument: str, period: str | None = None) -> Page:
    """A chart in the person's theme; a chart of kind "answer" has the token of a saved answer as its argument."""
    state, answer = context.state, None
    if kind == "answer":
        payload = await asyncio.to_thread(state.store.find, updates.chat(update).id, argument)
        answer = payload and payload["answer"]
    theme = THEMES[await asyncio.to_thread(state.store.setting, updates.user_id(update), "theme") or "light"]
    if period not in CHART_PERIODS[kind]:
        period = default_period(kind, answer)
    address = opening(context.bot.username, kind, argument)
    return await PHOTOS[kind](
        PhotoRequest(state.service, state.drawing, theme, kind, argument, period, answer, address)
    )
