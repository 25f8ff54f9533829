"""The bot's composition root: every handler, in the order in which updates are matched, and what outlives a restart."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime

import httpx
from telegram import LinkPreviewOptions, Update
from telegram.constants import ParseMode
from telegram.ext import (
    Application,
    ApplicationBuilder,
    BaseHandler,
    CallbackQueryHandler,
    ChatMemberHandler,
    ChosenInlineResultHandler,
    CommandHandler,
    ContextTypes,
    Defaults,
    InlineQueryHandler,
    JobQueue,
    MessageHandler,
    TypeHandler,
    filters,
)
from telegram.request import BaseRequest, HTTPXRequest

from bot import (
    alerts,
    answering,
    buttons,
    challenges,
    chat_languages,
    commands,
    errors,
    follows,
    groups,
    inline,
    keyboards,
    live_challenges,
    messages,
    personal_keyboards,
    questions,
    switches,
    telemetry,
)
from bot.context import BotContext, SharedState
from bot.keyboards import PATTERNS
from bot.messages import notices
from bot.messages.research import TOPICS
from bot.rate_limiter import ChatOrder, ChatRateLimiter
from bot.service import Service
from bot.settings import BotSettings
from bot.store import Store
from bot.updates import SkippingRequest
from service.client import ClientError, Unauthorized

LOG = logging.getLogger(__name__)
WATCH_S = 60
# The groups of handlers before all others.
COUNT, LANGUAGE, THROTTLE = -3, -2, -1

NEW = filters.UpdateType.MESSAGE  # an edited message is not handled a second time
PRIVATE = filters.ChatType.PRIVATE & NEW
GROUP = filters.ChatType.GROUPS & NEW
WORDS = filters.TEXT | filters.CAPTION

# Handlers that call the service do not block: other updates of the chat are handled while they wait.
VIEW_COMMANDS = ("price", "forecast", "markets", "challenges", "me", "forecasters", "quota", "settings", "research")
VIEW_COMMANDS += tuple(TOPICS)
FIXED_REPLIES = {"help": messages.start.help_text, "privacy": messages.start.privacy}


def handlers() -> list[BaseHandler]:
    """Every handler; the first that matches an update handles it alone."""
    return [
        CommandHandler("challenge", challenges.begin, PRIVATE, block=False),
        CommandHandler("start", challenges.begin, PRIVATE & filters.Regex(r"^/start\s+new$"), block=False),
        CommandHandler("start", buttons.open_link, PRIVATE & filters.Regex(personal_keyboards.LINK), block=False),
        *_group_handlers(),
        CommandHandler("ask", questions.ask, NEW, block=False),
        MessageHandler(GROUP & WORDS & ~filters.COMMAND, questions.ask_in_group, block=False),
        *(CommandHandler(name, commands.view_command(name), NEW, block=False) for name in VIEW_COMMANDS),
        CommandHandler("mine", commands.view_command("me"), NEW, block=False),
        CommandHandler("language", chat_languages.choose_by_text, NEW, block=False),
        CommandHandler("start", commands.fixed_reply(messages.start.start, keyboards.start), NEW),
        *(CommandHandler(name, commands.fixed_reply(text), NEW) for name, text in FIXED_REPLIES.items()),
        CommandHandler("alerts", switches.alerts, NEW),
        CommandHandler("stop", switches.stop, NEW),
        CommandHandler(["follow", "following"], follows.follow_by_text, NEW, block=False),
        CommandHandler("name", commands.name_forecaster, NEW, block=False),
        CommandHandler("deleteme", commands.delete_me, NEW),
        MessageHandler(PRIVATE & filters.COMMAND, commands.fixed_reply(messages.start.unknown_command)),
        MessageHandler(PRIVATE & WORDS, questions.ask_by_text, block=False),
        MessageHandler(PRIVATE & ~filters.StatusUpdate.ALL, commands.fixed_reply(notices.text_only)),
        InlineQueryHandler(inline.offer, block=False),
        ChosenInlineResultHandler(inline.chosen, block=False),
        *_button_handlers(),
        ChatMemberHandler(commands.membership_changed, ChatMemberHandler.MY_CHAT_MEMBER),
    ]


def build(
    settings: BotSettings,
    *,
    request: BaseRequest | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
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
        .rate_limiter(ChatRateLimiter())
        .context_types(ContextTypes(context=BotContext))
        .defaults(Defaults(parse_mode=ParseMode.HTML, link_preview_options=LinkPreviewOptions(is_disabled=True)))
        .concurrent_updates(ChatOrder())
        .job_queue(jobs)
        .post_init(_prepare)
        .post_shutdown(_close)
    )
    if request is not None:
        builder = builder.request(request)
    builder = builder.get_updates_request(SkippingRequest(request or HTTPXRequest(connection_pool_size=1)))
    application = builder.build()
    application.bot_data["state"] = SharedState(service, store, now, application.bot)
    application.add_handler(TypeHandler(Update, telemetry.count), group=COUNT)
    application.add_handler(TypeHandler(Update, chat_languages.recognize), group=LANGUAGE)
    application.add_handler(TypeHandler(Update, commands.throttle), group=THROTTLE)
    application.add_handlers(handlers())
    application.add_error_handler(errors.handle)
    # Without a time of its own, the first run would be counted from here and due a minute after the start.
    at_start = {"next_run_time": datetime.now(UTC), "misfire_grace_time": None}
    jobs.run_repeating(_watch, WATCH_S, job_kwargs=at_start)
    return application


def _group_handlers() -> list[BaseHandler]:
    """What groups get for the commands that work only in a private chat."""
    of_private_chats = {
        "start",
        "stop",
        "alerts",
        "follow",
        "following",
        "name",
        "deleteme",
        "privacy",
        "mine",
        *VIEW_COMMANDS,
    }
    return [
        MessageHandler(filters.StatusUpdate.MIGRATE, groups.moved),
        CommandHandler("settings", groups.settings, GROUP, block=False),
        CommandHandler("challenge", live_challenges.post, GROUP, block=False),
        CommandHandler("start", live_challenges.post, GROUP & filters.Regex(personal_keyboards.POST_LINK), block=False),
        CommandHandler(sorted(of_private_chats - chat_languages.IN_GROUPS), commands.private_command_in_group, GROUP),
    ]


def _button_handlers() -> list[BaseHandler]:
    """One handler for each pattern of button data; those that call the service for a page do not block."""
    pages = {
        "show": buttons.show,
        "chart": buttons.chart,
        "again": questions.ask_again,
        "listed": questions.ask_listed,
        "mine": questions.reopen,
        "market": buttons.vote_market,
        "challenge": buttons.vote_challenge,
        "forecast": buttons.forecast_market,
        "inline": inline.press_answer,
        "open": buttons.open_market,
        "follow": follows.press_follow,
        "level": follows.press_level,
    }
    actions = {
        "votes": questions.show_votes,
        "answer": questions.show_answer,
        "deadline": challenges.choose_deadline,
        "create": challenges.create,
        "discard": challenges.discard,
        "alert": switches.set_state,
        "hour": switches.set_hour,
        "zone": switches.set_zone,
        "drop": follows.drop,
        "terms": follows.set_terms,
        "quiet": switches.set_quiet_hours,
        "theme": switches.set_theme,
        "group": groups.set_switch,
        "forget": buttons.delete_or_keep,
        "language": chat_languages.choose,
    }
    return [
        *(CallbackQueryHandler(press, f"^{PATTERNS[name]}$", block=False) for name, press in pages.items()),
        *(CallbackQueryHandler(press, f"^{PATTERNS[name]}$") for name, press in actions.items()),
        CallbackQueryHandler(buttons.expired),
    ]


async def _prepare(application: Application) -> None:
    await chat_languages.publish(application.bot)
    LOG.info("@%s answers", application.bot.username)
    application.bot_data["check"] = asyncio.create_task(_check_key(application.bot_data["state"]))


async def _check_key(state: SharedState) -> None:
    """Say in the log at once that the service rejects the bot's key; the start waits for no service."""
    try:
        await state.service.for_user(0).usage()
    except Unauthorized as error:
        LOG.error("the service rejects BOT_ORACLE_KEY, so that no question can be asked: %s", error)
    except ClientError as error:
        LOG.warning("the service does not answer yet: %s", error)


async def _close(application: Application) -> None:
    state: SharedState = application.bot_data["state"]
    await state.service.close()
    state.drawing.close()
    await asyncio.to_thread(state.store.close)


async def _watch(context: BotContext) -> None:
    """One pass over interrupted questions and live challenges, each in its own task, and over alerts."""
    await answering.finish_interrupted(context)
    await live_challenges.watch(context)
    await alerts.watch(context.service, context.store, context.state.now())
    if not context.state.delivery.locked():
        context.application.create_task(_deliver(context))


async def _deliver(context: BotContext) -> None:
    """Send the queue of alerts; a long queue does not delay the next pass of the watcher."""
    async with context.state.delivery:
        await alerts.send_queue(context.bot, context.store, lambda: context.application.running)
