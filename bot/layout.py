"""The parts of every keyboard: buttons and their rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.languages import translate


def button(label: str, data: str) -> InlineKeyboardButton:
    return InlineKeyboardButton(label, callback_data=data)


def show(label: str, view: str, argument: str = "", page: int = 0) -> InlineKeyboardButton:
    return button(label, f"show:{view}:{argument}.{page}")


def grid(buttons: Sequence[InlineKeyboardButton], width: int) -> list[Sequence[InlineKeyboardButton]]:
    return [buttons[start : start + width] for start in range(0, len(buttons), width)]


def rows(*rows: Collection[InlineKeyboardButton]) -> InlineKeyboardMarkup:
    return InlineKeyboardMarkup([list(row) for row in rows if row])


def follow_buttons(kind: str, reference: str, *, is_followed: bool) -> list[InlineKeyboardButton]:
    """[Follow], or the button that ends it."""
    verb, label = ("unfollow", translate("Following ✓")) if is_followed else ("follow", translate("Follow"))
    return [button(label, f"{verb}:{kind}:{reference}")]


def share_buttons(address: str | None) -> list[InlineKeyboardButton]:
    """[Share] with its address, if there is one."""
    return [InlineKeyboardButton(translate("Share"), url=address)] if address else []
