"""The bot's composition root: every handler, in the order in which Telegram's updates are matched."""

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
    JobQueue,
    MessageHandler,
    filters,
)
from telegram.request import BaseRequest

from bot import alerts, buttons, challenges, commands, errors, menu, messages, questions, switches
from bot.context import BotContext, SharedState
from bot.keyboards import PATTERNS
from bot.messages import notices
from bot.persistence import StorePersistence
from bot.service import Service
from bot.settings import BotSettings
from bot.store import Store

WATCH_S = 60
RETRIES = 2  # of a call that Telegram refuses with 429, each after the wait that Telegram requests

NEW = filters.UpdateType.MESSAGE  # an edited message is not handled a second time
PRIVATE = filters.ChatType.PRIVATE & NEW
GROUP = filters.ChatType.GROUPS & NEW
LINK = filters.Regex(r"^/start\s+challenge_(\d{1,9})$")

# Handlers that call the service do not block: other updates are handled while they wait.
VIEW_COMMANDS = ("lanes", "lane", "top", "markets", "challenges", "hospital", "strategy", "accuracy", "news", "streaks")
VIEW_COMMANDS += ("fund", "brain", "quota")
FIXED_REPLIES = {"start": messages.start, "help": messages.help_text, "privacy": messages.privacy}


def handlers() -> list[BaseHandler]:
    """Every handler; the first that matches an update handles it alone."""
    return [
        challenges.conversation(),
        CommandHandler("start", commands.open_link, PRIVATE & LINK, block=False),
        *_group_handlers(),
        CommandHandler("ask", questions.ask, NEW, block=False),
        *(CommandHandler(name, commands.view_command(name), NEW, block=False) for name in VIEW_COMMANDS),
        *(CommandHandler(name, commands.fixed_reply(text), NEW) for name, text in FIXED_REPLIES.items()),
        CommandHandler("alerts", switches.alerts, NEW),
        CommandHandler("deleteme", commands.delete_me, NEW),
        CommandHandler("cancel", commands.fixed_reply(messages.nothing_to_cancel), NEW),
        MessageHandler(PRIVATE & filters.COMMAND, commands.fixed_reply(messages.unknown_command)),
        MessageHandler(PRIVATE & filters.TEXT, questions.ask_by_text, block=False),
        MessageHandler(PRIVATE & ~filters.StatusUpdate.ALL, commands.fixed_reply(notices.text_only)),
        *_button_handlers(),
        ChatMemberHandler(commands.membership_changed, ChatMemberHandler.MY_CHAT_MEMBER),
    ]


def build(
    settings: BotSettings,
    *,
    request: BaseRequest | None = None,
    transport: httpx.BaseTransport | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Application:
    """The bot, ready to run; `request` is the connection to Telegram, `transport` the one to the service."""
    store = Store(settings.bot_data / "bot.sqlite", now)
    service = Service(settings, transport=transport, now=now)
    jobs = JobQueue()
    builder = (
        ApplicationBuilder()
        .token(settings.telegram_bot_token)
        .base_url(settings.telegram_url)
        .rate_limiter(AIORateLimiter(max_retries=RETRIES))
        .persistence(StorePersistence(store))
        .context_types(ContextTypes(context=BotContext))
        .defaults(Defaults(parse_mode=ParseMode.HTML, link_preview_options=LinkPreviewOptions(is_disabled=True)))
        .concurrent_updates(False)
        .job_queue(jobs)
        .post_init(_publish_menu)
        .post_shutdown(_close)
    )
    if request is not None:
        builder = builder.request(request).get_updates_request(request)
    application = builder.build()
    application.bot_data["state"] = SharedState(service, store, now)
    application.add_handlers(handlers())
    application.add_error_handler(errors.handle)
    jobs.run_repeating(_watch, WATCH_S, first=0)
    return application


def _group_handlers() -> list[BaseHandler]:
    """What groups get for the commands that work only in a private chat."""
    private = {"start", "alerts", "deleteme", "privacy", "cancel", *VIEW_COMMANDS} - menu.IN_GROUPS
    return [
        CommandHandler("challenge", commands.challenge_in_group, GROUP),
        CommandHandler(sorted(private), commands.private_command_in_group, GROUP),
    ]


def _button_handlers() -> list[BaseHandler]:
    """One handler for each pattern of button data; those that call the service for a page do not block."""
    non_blocking = {
        "show": buttons.show,
        "chart": buttons.chart,
        "again": questions.ask_again,
        "market": buttons.vote_market,
        "challenge": buttons.vote_challenge,
    }
    blocking = {
        "votes": questions.show_votes,
        "answer": questions.show_answer,
        "create": challenges.create,
        "discard": challenges.discard,
        "alert": switches.set_state,
        "hour": switches.set_hour,
        "zone": switches.set_zone,
        "forget": buttons.delete_or_keep,
    }
    return [
        *(CallbackQueryHandler(press, f"^{PATTERNS[name]}$", block=False) for name, press in non_blocking.items()),
        *(CallbackQueryHandler(press, f"^{PATTERNS[name]}$") for name, press in blocking.items()),
        CallbackQueryHandler(buttons.expired),
    ]


async def _publish_menu(application: Application) -> None:
    await menu.publish(application.bot)


async def _close(application: Application) -> None:
    state: SharedState = application.bot_data["state"]
    state.service.close()
    await asyncio.to_thread(state.store.close)


async def _watch(context: BotContext) -> None:
    """One pass over the events that people subscribed to."""
    await alerts.watch(context.bot, context.service, context.store, context.state.now())
