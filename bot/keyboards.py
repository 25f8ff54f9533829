"""The buttons below messages. Their data is `verb:noun:token`, at most 64 bytes; see `application.PRESSES`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple
from urllib.parse import urlencode

from telegram import InlineKeyboardButton, InlineKeyboardMarkup
from telegram.helpers import create_deep_linked_url

from bot.languages import LANGUAGES, english, labelled, translate
from bot.messages import formats
from bot.messages.alerts import EVENTS, SETTINGS
from bot.messages.follows import CHALLENGE
from bot.messages.markup import plain

DEADLINE_DAYS = (1, 7, 30, 90)  # from today on
FORECASTS = (5, 20, 35, 50, 65, 80, 95)  # the percentages of a forecast
MAX_SUBJECT = 44  # characters of a market's id that fit into the data of every button
ALERT_DAYS: tuple[int, ...] = (0, 1, 7, 30)  # that an alert lasts; 0 without an end
ALL_TIME = "all"
LENGTHS = {"24h": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(days=30)}
PERIODS = (*LENGTHS, ALL_TIME)
# At the end of a sentence: "+2.1% in 7 days".
PERIOD_WORDS = {
    "24h": english("in 24 hours"),
    "7d": english("in 7 days"),
    "30d": english("in 30 days"),
    ALL_TIME: english("since the start"),
}
# Every chart with the periods that can be chosen.
CHART_PERIODS: dict[str, tuple[str, ...]] = dict.fromkeys(("price", "answer", "market"), PERIODS)
CHART_PERIODS["forecast"] = tuple(LENGTHS)
PERIOD_LABELS = {"24h": english("24 h"), "7d": english("7 d"), "30d": english("30 d"), "all": english("All")}
LINK = re.compile(r"^/start\s+(challenge|market|price|answer)_([\w-]{1,57})$", re.ASCII)
POST_LINK = re.compile(r"^/start(@\w+)?\s+challenge_\d{1,9}$", re.ASCII)  # in a group
SUBJECT = re.compile(r"[\w-]{1,48}", re.ASCII)
SHARE, MAX_TEXT = "https://t.me/share/url", 300
ZONES = ("UTC", "Europe/London", "Europe/Berlin", "Europe/Istanbul", "Africa/Lagos", "Asia/Dubai", "Asia/Kolkata")
ZONES += ("Asia/Singapore", "Asia/Shanghai", "Asia/Tokyo", "Australia/Sydney", "America/Sao_Paulo", "America/New_York")
ZONES += ("America/Chicago", "America/Los_Angeles")
QUIET_HOURS = ("21-7", "22-7", "22-8", "23-7", "23-8", "0-7", "0-8")  # to an hour of the next day


class SettingChoice(NamedTuple):
    """The values of a setting with their labels, how many stand in a row, and the view that shows what was chosen."""

    values: Mapping[str, str]
    width: int = 2
    view: str = "alerts"


STATES = {"off": english("off"), "on": english("on"), "silent": english("silent")}
SWITCH = SettingChoice(STATES)
GROUP_SWITCH = SettingChoice({state: STATES[state] for state in ("off", "on")}, view="settings")
QUIET_LABELS = {hours: "–".join(f"{int(hour):02d}" for hour in hours.split("-")) for hours in QUIET_HOURS}
CHOICES = {
    **dict.fromkeys(EVENTS, SWITCH),
    **dict.fromkeys(SETTINGS, GROUP_SWITCH),
    "hour": SettingChoice({f"{hour}": f"{hour:02d}" for hour in range(24)}, 6),
    "zone": SettingChoice({zone: zone for zone in ZONES}),
    "quiet": SettingChoice({"": english("None"), **QUIET_LABELS}, 4),
    "theme": SettingChoice({"light": english("Light"), "dark": english("Dark")}, view="settings"),
    "language": SettingChoice({**LANGUAGES, "": english("As in Telegram")}, view="language"),
}


class Page(NamedTuple):
    """A message: its HTML and its buttons, and for a photo its PNG, of which the HTML is the caption.

    `chart` is the kind and the argument of the chart that belongs below it.
    """

    text: str
    keyboard: InlineKeyboardMarkup | None = None
    chart: tuple[str, str] | None = None
    picture: bytes | None = None


class Popup(NamedTuple):
    """The answer to a press in plain text, which waits to be closed if it `is_alert`, and the page to show in place."""

    text: str
    page: Page | None = None
    is_alert: bool = True


def button(label: str, data: str) -> InlineKeyboardButton:
    """A button with its label in the current language; the catalogues contain the constant labels."""
    return InlineKeyboardButton(translate(label), callback_data=data)


def show(label: str, view: str, argument: str = "", page: int = 0) -> InlineKeyboardButton:
    return button(label, f"show:{view}:{argument}.{page}")


def link(label: str, address: str | None) -> list[InlineKeyboardButton]:
    """A button that opens an address, if there is one."""
    return [InlineKeyboardButton(translate(label), url=address)] if address else []


def rows(*rows: Collection[InlineKeyboardButton]) -> InlineKeyboardMarkup:
    return InlineKeyboardMarkup([list(row) for row in rows if row])


def grid(buttons: Iterable[InlineKeyboardButton], width: int) -> list[Sequence[InlineKeyboardButton]]:
    entries = list(buttons)
    return [entries[start : start + width] for start in range(0, len(entries), width)]


def marked(label: str, *, is_chosen: bool) -> str:
    """The chosen one of several labels stands between dots."""
    return f"· {translate(label)} ·" if is_chosen else label


def reload(view: str, argument: str = "", *others: InlineKeyboardButton) -> InlineKeyboardMarkup:
    return rows([show("Reload", view, argument), *others])


def _turn(data: str, middle: InlineKeyboardButton, index: int, pages: int) -> list[InlineKeyboardButton]:
    """Previous page, another button, next page; the `data` has the number of the page."""
    before, after = (button(label, data.format(page)) for label, page in (("◀", index - 1), ("▶", index + 1)))
    return [*[before][: index > 0], middle, *[after][: index < pages - 1]]


def _turn_view(view: str, index: int, pages: int) -> list[InlineKeyboardButton]:
    return _turn(f"show:{view}:.{{}}", show("Reload", view, "", index), index, pages)


def yes_no(data: str, prefix: str = "") -> list[InlineKeyboardButton]:
    labels = {"yes": translate("Yes"), "no": translate("No")}
    return [button(f"{prefix}{label}", f"{vote}:{data}") for vote, label in labels.items()]


def _follow(kind: str, reference: str, *, is_followed: bool) -> InlineKeyboardButton:
    """[Follow], or the button that ends it."""
    verb, label = ("unfollow", translate("Following ✓")) if is_followed else ("follow", translate("Follow"))
    return button(label, f"{verb}:{kind}:{reference}")


def start() -> InlineKeyboardMarkup:
    """The first things to look at."""
    return rows(
        [show("Prices", "price"), show("Markets", "markets")],
        [show("Research", "research"), show("Challenges", "challenges")],
        [show("Language", "language")],
    )


def assets(
    view: str, chosen: str, keys: Sequence[str], levels: Sequence[tuple[str, float]] = ()
) -> InlineKeyboardMarkup:
    """Choose all assets ("") or one, in a view of them; for one, its chart and the levels that the bot can watch."""
    labels = {"": "All"} | {key: key if len(key) < 4 else formats.asset(key) for key in keys}  # symbols are as they are
    choices = [show(marked(label, is_chosen=key == chosen), view, key) for key, label in labels.items()]
    charts = [button("Chart", f"chart:{view}:{chosen}")] if chosen else []
    return rows(bells(chosen, levels), *grid(choices, 4), [show("Reload", view, chosen), *charts])


def bells(asset: str, levels: Sequence[tuple[str, float]]) -> list[InlineKeyboardButton]:
    """The levels of a price that the bot can watch."""
    return [button(f"🔔 {label}", f"level:price:{asset}:{level:.10g}") for label, level in levels]


def chart(kind: str, argument: str, period: str) -> InlineKeyboardMarkup:
    """The periods of a chart; the chosen one is marked, and draws the chart again."""
    labels = {key: marked(PERIOD_LABELS[key], is_chosen=key == period) for key in CHART_PERIODS[kind]}
    return rows([button(label, f"chart:{kind}:{argument}.{key}") for key, label in labels.items()])


def markets(token: str, first: int, count: int, index: int, pages: int) -> InlineKeyboardMarkup:
    """Yes, No and the page of each of the `count` markets of a list; they are numbered from `first` on."""
    labels = {place: f"{first + place}. " for place in range(count)}
    calls = (
        [*yes_no(f"market:{token}.{place}", label), button(f"{label}…", f"open:market:{token}.{place}")]
        for place, label in labels.items()
    )
    return rows(*calls, _turn_view("markets", index, pages))


def challenges(numbers: Sequence[int], index: int, pages: int) -> InlineKeyboardMarkup:
    """One button for each challenge of the page; it opens the challenge."""
    buttons = [show(str(number), "challenge", str(number)) for number in numbers]
    return rows(buttons, _turn_view("challenges", index, pages))


def market(
    market_id: str,
    share: str | None,
    levels: Sequence[int] = (),
    post_link: str | None = None,
    *,
    is_open: bool = True,
    is_followed: bool = False,
    is_charted: bool = False,
) -> InlineKeyboardMarkup:
    """The calls on a market, the probabilities at which the person wants a message, [Follow], [Share] and [Chart].

    A challenge is voted on, and has the address that posts it in a group; a market is forecast in percent.
    """
    number = market_id.removeprefix(CHALLENGE) if market_id.startswith(CHALLENGE) else ""
    others = show("All challenges", "challenges") if number else show("All markets", "markets")
    if len(market_id) > MAX_SUBJECT:
        return rows([others])
    forecasts = [button(f"{p}%", f"forecast:market:{market_id}:{p}") for p in FORECASTS]
    labels = {level: translate("AI {chance}", chance=f"{level}%") for level in levels}
    below = [_follow("market", market_id, is_followed=is_followed)] if is_open else []
    below += link("Share", share)
    below += [button("Chart", f"chart:market:{market_id}")] if is_charted and share else []
    return rows(
        (yes_no(f"challenge:{number}") if number else forecasts) if is_open else [],
        [button(f"🔔 {label}", f"level:chance:{market_id}:{level}") for level, label in labels.items()],
        below,
        link("Post in a group", post_link) if is_open else [],
        [show("Reload", "market", market_id), others],
    )


def answer(
    token: str, share: str | None = None, *, is_followed: bool = False, is_charted: bool = False
) -> InlineKeyboardMarkup:
    """The votes, the same question again, the chart of a price, [Follow] and [Share]."""
    buttons = [button("Show votes", f"votes:0:{token}"), _follow("answer", token, is_followed=is_followed)]
    buttons += [button("Chart", f"chart:answer:{token}")] if is_charted else []
    return rows(*grid([*buttons, button("Ask again", f"again:question:{token}"), *link("Share", share)], 2))


def listed(token: str, count: int) -> InlineKeyboardMarkup:
    """Numbered questions: a button has no room for a sentence."""
    labels = {number: translate("Ask {number}", number=number) for number in range(1, count + 1)}
    return rows([button(label, f"ask:listed:{token}.{number}") for number, label in labels.items()])


def votes(token: str, index: int, pages: int) -> InlineKeyboardMarkup:
    """The pages of the votes, and back to the answer."""
    return rows(_turn(f"votes:{{}}:{token}", button("Answer", f"answer:question:{token}"), index, pages))


def deadlines(token: str, today: date) -> InlineKeyboardMarkup:
    """Dates for a draft that has none."""
    days = {count: formats.date(f"{today + timedelta(days=count)}") for count in DEADLINE_DAYS}
    return rows(*grid((button(label, f"deadline:draft:{token}.{count}") for count, label in days.items()), 2))


def draft(token: str) -> InlineKeyboardMarkup:
    return rows([button("Create", f"create:draft:{token}"), button("Cancel", f"discard:draft:{token}")])


def terms(number: int, days: int, others: Mapping[float, int] | None = None, *, repeats: bool) -> InlineKeyboardMarkup:
    """When an alert ends and whether it comes again, which a press moves on; a press ends one of `others`, by level."""
    names = dict(zip(ALERT_DAYS, ("–", *(translate(PERIOD_LABELS[key]) for key in LENGTHS)), strict=True))
    later = ALERT_DAYS[(ALERT_DAYS.index(days) + 1) % len(ALERT_DAYS)]
    ends = [button(f"{formats.price(level)} ✕", f"drop:follow:{place}") for level, place in (others or {}).items()]
    end, repetition = labelled(translate("Ends"), names[days]), translate("on" if repeats else "off")
    return rows(
        [
            button(end, f"terms:follow:{number}.{later}.{repeats:d}"),
            button(labelled(translate("Again"), repetition), f"terms:follow:{number}.{days}.{not repeats:d}"),
        ],
        *grid(ends, 3),
    )


def following(numbers: Sequence[int]) -> InlineKeyboardMarkup:
    """One button for each follow; it ends the follow."""
    buttons = (button(f"{place} ✕", f"drop:follow:{number}") for place, number in enumerate(numbers, 1))
    others = [show("End all", "ending")] if len(numbers) > 1 else []
    return rows(*grid(buttons, 5), [show("Reload", "following"), *others])


def me(answers: Sequence[str]) -> InlineKeyboardMarkup:
    """One button for each listed answer, by their ids; it opens the answer."""
    return rows(
        [button(str(number), f"reopen:answer:{id}") for number, id in enumerate(answers, 1)],
        [show("Markets", "markets"), show("Forecasters", "forecasters")],
        [show("What I follow", "following"), show("Reload", "me")],
    )


def delete_or_keep() -> InlineKeyboardMarkup:
    return rows([button("Delete", "delete:me:all"), button("Keep", "keep:me:all")])


def choices(name: str, back: str = "") -> InlineKeyboardMarkup:
    """A button for each value of a setting, and the way back."""
    return rows(*_values(name), [show("Back", back)] if back else [])


def _values(name: str, chosen: str | None = None) -> list[Sequence[InlineKeyboardButton]]:
    labels = {value: marked(label, is_chosen=value == chosen) for value, label in CHOICES[name].values.items()}
    return grid((button(label, f"set:{name}:{value}") for value, label in labels.items()), CHOICES[name].width)


def _switch(name: str, label: str, state: str) -> InlineKeyboardButton:
    """The state of a switch; each press moves it on to the next."""
    states = list(CHOICES[name].values)
    following = states[(states.index(state) + 1) % len(states)]
    return button(labelled(translate(label), translate(state)), f"set:{name}:{following}")


def settings(theme: str) -> InlineKeyboardMarkup:
    """The theme of charts, and the ways to the other settings."""
    return rows(
        *_values("theme", theme),
        [show("Alerts", "alerts"), show("Language", "language")],
        [show("Time zone", "zones"), show("Quiet hours", "quiet")],
    )


def group_settings(switches: Mapping[str, str]) -> InlineKeyboardMarkup:
    """A switch for each setting, and the languages."""
    buttons = [[_switch(name, label, switches[name])] for name, label in SETTINGS.items()]
    return rows(*buttons, [show("Language", "language")])


def alerts(switches: Mapping[str, str]) -> InlineKeyboardMarkup:
    """A switch for each event, then the hour and time zone of the digest."""
    buttons = ([_switch(event, label, switches[event])] for event, label in EVENTS.items())
    settings = [show("Digest hour", "hours"), show("Time zone", "zones"), show("Quiet hours", "quiet")]
    return rows(*buttons, *grid([*settings, show("What I follow", "following")], 2))


def opening(username: str, kind: str, subject: str) -> str | None:
    """The address that opens a subject in the bot; None if the subject's id does not fit into an address."""
    return create_deep_linked_url(username, f"{kind}_{subject}") if SUBJECT.fullmatch(subject) else None


def posting(username: str, number: int) -> str:
    """The address at which Telegram lets the person choose a group in which the bot posts a challenge."""
    return create_deep_linked_url(username, f"challenge_{number}", group=True)


def sharing(username: str, kind: str, subject: str, text: str) -> str | None:
    """The address at which Telegram lets the person choose to whom a link is sent; None as in `opening`."""
    address = opening(username, kind, subject)
    return address and f"{SHARE}?{urlencode({'url': address, 'text': plain(text)[:MAX_TEXT]})}"
