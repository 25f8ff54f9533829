"""The buttons of messages in groups."""

from __future__ import annotations

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.keyboards import yes_no
from bot.languages import translate
from bot.languages.punctuation import labelled
from bot.layout import button, rows, show
from bot.messages.groups import SETTINGS, state
from bot.store import GroupSettings


def settings(group: GroupSettings) -> InlineKeyboardMarkup:
    """A switch for each setting, and the languages."""
    switches = [
        [button(labelled(translate(SETTINGS[name]), state(is_on)), f"{'off' if is_on else 'on'}:group:{name}")]
        for name, is_on in group._asdict().items()
    ]
    return rows(*switches, [show(translate("Language"), "language")])


def challenge(number: int, address: str | None, *, is_open: bool) -> InlineKeyboardMarkup:
    """[Yes] and [No] while the challenge is open, and its page in the bot."""
    opening = [InlineKeyboardButton(translate("Open in the bot"), url=address)] if address else []
    return rows(yes_no(f"challenge:{number}") if is_open else [], opening)
