"""The buttons of what a person follows, forecasts and shares, and those of inline mode."""

from __future__ import annotations

from collections.abc import Sequence

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.keyboards import assets
from bot.languages import translate
from bot.layout import button, follow_buttons, grid, rows, share_buttons, show

# The choices of quiet hours: from one hour to another of the next day; None: no quiet hours.
QUIET_HOURS = (None, (21, 7), (22, 7), (22, 8), (23, 7), (23, 8), (0, 7), (0, 8))
FORECASTS = (5, 20, 35, 50, 65, 80, 95)  # the percentages of a forecast
MAX_SUBJECT = 44  # characters of a market's id that fit into the data of every button


def price(chosen: str, keys: Sequence[str], levels: Sequence[tuple[str, float]]) -> InlineKeyboardMarkup:
    """Choose an asset; below one, the levels at which the person wants a message, each with its label."""
    telling = [button(f"🔔 {label}", f"level:price:{chosen}:{level:.10g}") for label, level in levels]
    return rows(telling, *assets("price", chosen, keys).inline_keyboard)


def market(
    market_id: str, levels: Sequence[int], address: str | None, *, is_open: bool, is_followed: bool, is_charted: bool
) -> InlineKeyboardMarkup:
    """A forecast in percent, the probabilities at which the person wants a message, [Follow], [Share] and [Chart]."""
    below = [show(translate("All markets"), "markets")]
    if len(market_id) > MAX_SUBJECT:
        return rows(below)
    telling = [
        button(f"🔔 {translate('AI {chance}', chance=f'{level}%')}", f"level:chance:{market_id}:{level}")
        for level in levels
    ]
    following = follow_buttons("market", market_id, is_followed=is_followed) if is_open else []
    charted = [button(translate("Chart"), f"chart:market:{market_id}")] if is_charted and address else []
    forecasts = [button(f"{p}%", f"forecast:market:{market_id}:{p}") for p in FORECASTS] if is_open else []
    return rows(
        forecasts,
        telling,
        [*following, *share_buttons(address), *charted],
        [show(translate("Reload"), "market", market_id), *below],
    )


def following(numbers: Sequence[int]) -> InlineKeyboardMarkup:
    """One button for each follow; it ends the follow."""
    ending = [button(f"{place} ✕", f"drop:follow:{number}") for place, number in enumerate(numbers, 1)]
    return rows(*grid(ending, 5), [show(translate("Reload"), "following")])


def inline_question(token: str) -> InlineKeyboardMarkup:
    return rows([button(translate("Show the answer"), f"answer:inline:{token}")])


def open_in_bot(address: str) -> InlineKeyboardMarkup:
    return rows([InlineKeyboardButton(translate("Open in the bot"), url=address)])


def me() -> InlineKeyboardMarkup:
    return rows(
        [show(translate("Markets"), "markets"), show(translate("Forecasters"), "forecasters")],
        [show(translate("What I follow"), "following"), show(translate("Reload"), "me")],
    )


def forecasters() -> InlineKeyboardMarkup:
    return rows([show(translate("My page"), "me"), show(translate("Reload"), "forecasters")])


def quiet_hours() -> InlineKeyboardMarkup:
    """The choices of quiet hours."""
    labels = [translate("None") if hours is None else f"{hours[0]:02d}–{hours[1]:02d}" for hours in QUIET_HOURS]
    choices = [button(label, f"quiet:hours:{index}") for index, label in enumerate(labels)]
    return rows(*grid(choices, 4), [show(translate("Back"), "alerts")])
