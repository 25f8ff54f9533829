"""The table of contents: every handler in the order in which it is tried."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import httpx
from telegram import LinkPreviewOptions
from telegram.constants import ParseMode
from telegram.ext import (
    AIORateLimiter,
    Application,
    ApplicationBuilder,
    BaseHandler,
    CallbackQueryHandler,
    ChatMemberHandler,
    CommandHandler,
    ContextTypes,
    Defaults,
    MessageHandler,
    filters,
)
from telegram.request import BaseRequest

from bot import alerts, asking, buttons, challenging, commands, failing, menu, messages, switching
from bot.context import Context, Rooms
from bot.keyboards import PATTERNS
from bot.messages import notices
from bot.persistence import StorePersistence
from bot.service import Service
from bot.settings import Settings
from bot.store import Store

WATCH_S = 60
RETRIES = 2  # of what Telegram answers 429 to, after the wait that it asks for

NEW = filters.UpdateType.MESSAGE  # a message that is edited is not a second command
ALONE = filters.ChatType.PRIVATE & NEW
GROUP = filters.ChatType.GROUPS & NEW
LINK = filters.Regex(r"^/start\s+challenge_(\d{1,9})$")

# By themselves: none waits for another, and none that the service keeps waiting holds up the rest.
LOOKS = ("lanes", "lane", "top", "markets", "challenges", "hospital", "strategy", "accuracy", "news", "streaks")
LOOKS += ("fund", "brain", "quota")
SAID = {"start": messages.start, "help": messages.help_text, "privacy": messages.privacy}


def handlers() -> list[BaseHandler]:
    """Every handler; the first that takes an update is the only one."""
    return [
        challenging.conversation(),
        CommandHandler("start", commands.open_link, ALONE & LINK, block=False),
        *_for_groups(),
        CommandHandler("ask", asking.ask, NEW, block=False),
        *(CommandHandler(name, commands.look(name), NEW, block=False) for name in LOOKS),
        *(CommandHandler(name, commands.say(text), NEW) for name, text in SAID.items()),
        CommandHandler("alerts", switching.alerts, NEW),
        CommandHandler("deleteme", commands.delete_me, NEW),
        CommandHandler("cancel", commands.say(messages.nothing_open), NEW),
        MessageHandler(ALONE & filters.COMMAND, commands.say(messages.unknown_command)),
        MessageHandler(ALONE & filters.TEXT, asking.plain, block=False),
        MessageHandler(ALONE & ~filters.StatusUpdate.ALL, commands.say(notices.text_only)),
        *_pressed(),
        ChatMemberHandler(commands.left, ChatMemberHandler.MY_CHAT_MEMBER),
    ]


def build(
    settings: Settings,
    *,
    request: BaseRequest | None = None,
    transport: httpx.BaseTransport | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Application:
    """The bot, ready to run; `request` is how it reaches Telegram, `transport` how it reaches the service."""
    store = Store(settings.bot_data / "bot.sqlite", now)
    service = Service(settings, transport=transport, now=now)
    builder = (
        ApplicationBuilder()
        .token(settings.telegram_bot_token)
        .base_url(settings.telegram_url)
        .rate_limiter(AIORateLimiter(max_retries=RETRIES))
        .persistence(StorePersistence(store))
        .context_types(ContextTypes(context=Context))
        .defaults(Defaults(parse_mode=ParseMode.HTML, link_preview_options=LinkPreviewOptions(is_disabled=True)))
        .concurrent_updates(False)
        .post_init(_begin)
        .post_shutdown(_end)
    )
    if request is not None:
        builder = builder.request(request).get_updates_request(request)
    application = builder.build()
    application.bot_data["rooms"] = Rooms(service, store, now)
    application.add_handlers(handlers())
    application.add_error_handler(failing.handle)
    application.job_queue.run_repeating(_watch, WATCH_S, first=0)
    return application


def _for_groups() -> list[BaseHandler]:
    """What a group gets in place of what belongs in a private chat."""
    every = {"start", "alerts", "deleteme", "privacy", "cancel", *LOOKS} - menu.IN_GROUPS
    return [
        CommandHandler("challenge", commands.challenge_in_group, GROUP),
        CommandHandler(sorted(every), commands.elsewhere, GROUP),
    ]


def _pressed() -> list[BaseHandler]:
    """Every button by what it carries."""
    apart = {
        "show": buttons.show,
        "chart": buttons.chart,
        "again": asking.again,
        "market": buttons.vote_market,
        "challenge": buttons.vote_challenge,
    }
    in_turn = {
        "votes": asking.votes,
        "answer": asking.back,
        "create": challenging.create,
        "discard": challenging.discard,
        "alert": switching.switch,
        "hour": switching.set_hour,
        "zone": switching.set_zone,
        "forget": buttons.forget,
    }
    return [
        *(CallbackQueryHandler(press, f"^{PATTERNS[name]}$", block=False) for name, press in apart.items()),
        *(CallbackQueryHandler(press, f"^{PATTERNS[name]}$") for name, press in in_turn.items()),
        CallbackQueryHandler(buttons.expired),
    ]


async def _begin(application: Application) -> None:
    await menu.publish(application.bot)


async def _end(application: Application) -> None:
    rooms: Rooms = application.bot_data["rooms"]
    rooms.service.close()
    await asyncio.to_thread(rooms.store.close)


async def _watch(context: Context) -> None:
    """One look at what is new, for those who want to hear of it."""
    await alerts.watch(context.bot, context.service, context.store, context.rooms.now())
