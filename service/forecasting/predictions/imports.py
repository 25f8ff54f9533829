"""Selects the questions of outside markets to import, and reads their wording.

An imported question is resolved by its own market, so it is imported only if this service understands the question that
the market settles; an ambiguous question is refused. The deadline and the rules of the market prevail over its title.
"""

from __future__ import annotations

import html
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from service.errors import InvalidRequest
from service.forecasting.predictions import Odds, Prediction
from service.forecasting.predictions.open_markets import of_now
from service.forecasting.predictions.series import near_copy
from service.market.instants import DAY, HOUR, iso, utc
from service.questions import Circumstances, Question, understand
from service.questions.canonical import canonical
from service.questions.dates.periods import UNSURE_NOTE
from service.questions.kinds.levels import Close, Direction, Touch
from service.questions.parse import BEFORE_DAY, DECIDED_NOTE, FAR_NOTE, NOT_NAMED

LONGEST_RULE = 200

UP_OR_DOWN = re.compile(r"^(.+?) up or down\b", re.IGNORECASE)
BLANK = re.compile(r"\$?_{2,}")
WHICH_PRICE = re.compile(r"^what price will (.+?) (?:hit|reach)\b", re.IGNORECASE)
PRICE_AT = re.compile(r"^(.+?) price (?:range )?(?=(?:on|at)\b)", re.IGNORECASE)

TAG = re.compile(r"</?[a-zA-Z!][^<>]*>")
LINK = re.compile(r"\[([^\[\]]*)\]\s*\([^()]*\)")
MARKS = re.compile(r"[*_`#\s]+")


def wording(question: str, group: str) -> str:
    """The complete question of an outside market: blanks are filled in, and "up or down" becomes "be up".

    "Bitcoin above ___ on March 11?" in the group "64,000" becomes "Bitcoin above $64,000 on March 11?". A complete
    question is returned unchanged.
    """
    if UP_OR_DOWN.match(question):
        return UP_OR_DOWN.sub(r"Will \1 be up", question)
    amount = group.strip("↑↓ ")
    if not amount:
        return question
    if BLANK.search(question):
        return BLANK.sub(lambda _: "$" + amount.lstrip("$"), question)
    if WHICH_PRICE.match(question) and group[0] in "↑↓":
        verb = "reach" if group[0] == "↑" else "dip to"
        return WHICH_PRICE.sub(lambda match: f"Will {match[1]} {verb} ${amount.lstrip('$')}", question)
    return PRICE_AT.sub(lambda match: f"Will {match[1]} be {amount} ", question)


def plain(rules: str) -> str:
    """The first 200 characters of a market's rules on one line, without HTML and Markdown."""
    text = LINK.sub(r"\1", TAG.sub(" ", html.unescape(rules)))
    text = MARKS.sub(" ", "".join(letter if letter.isprintable() else " " for letter in text)).strip()
    return text if len(text) <= LONGEST_RULE else text[: LONGEST_RULE - 1].rstrip() + "…"


SOONEST_S, FARTHEST_S = 2 * HOUR, 120 * DAY
MIN_VOLUME_USD = 1_000.0
MIN_P, MAX_P = 0.02, 0.98
MAX_A_DAY, MAX_OPEN = 4, 40
YEAR_H = 365.25 * 24
# A move is imported once it has begun, and only while this share of the rest of it has not passed.
START_TOLERANCE = 1 / 24
# A short market is a move that ends in less than SOONEST_S. It is judged by its quote, since it has no volume when it
# begins; the quote may be later than the voters' prices by this share of the horizon.
MAX_AN_HOUR = 4
WIDEST_SPREAD = 0.1
LATEST_QUOTE = 1 / 10
# The dates of its title are not read: "10AM ET" is when the hour begins.
SHORT_TITLE = re.compile(r"\b(\w+) (?:price )?up\b.*", re.IGNORECASE)

# Notes that leave no doubt: the market has its own deadline, which is compared with that of the question, and its rules
# may ask for the price at it.
HARMLESS_NOTES = (DECIDED_NOTE, FAR_NOTE, BEFORE_DAY, UNSURE_NOTE.partition("{")[0])

MOVED_S = HOUR  # by which the end of a market may be corrected

# Rules by which the last price decides, and rules by which any price until the deadline decides.
BY_CLOSE = re.compile(r"final .close. price|\bat (?:the )?(?:market )?close\b", re.IGNORECASE)
BY_TOUCH = re.compile(r"final .(?:high|low). price|\bany (?:time|point|moment)\b", re.IGNORECASE)

PriceAt = Callable[[str, int], float | None]  # of an asset at a unix second; None if it is unknown


@dataclass(frozen=True)
class Terms:
    """What an outside market asks and until when, a unix second.

    `group` distinguishes questions that share a title ("64,000", "$115,000 or above"); otherwise it is empty.
    """

    question: str
    group: str
    deadline: int
    rules: str

    def wording(self, *, short: bool) -> str:
        """The question as it is understood; that of a short market names its end."""
        if not short:
            return wording(self.question, self.group)
        return SHORT_TITLE.sub(rf"Will \1 be up at {utc(self.deadline):%Y-%m-%d %H:%M} UTC?", self.question)

    def rule(self, source: str) -> str:
        """The rule of the market once it is imported."""
        rules = plain(self.rules)
        return f"As {source.title()} settles it{': ' + rules if rules else '.'}"


@dataclass(frozen=True)
class OutsideMarket:
    """A question of an outside market with its odds.

    `measured_from` is the unix second from whose price a move is measured, if the market states one.
    """

    source: Literal["polymarket", "kalshi"]
    odds: Odds
    terms: Terms
    measured_from: int | None = None

    @property
    def id(self) -> str:
        return f"{self.source}-{self.odds.market_id}"

    @property
    def volume_usd(self) -> float:
        return self.odds.volume_usd or 0.0


@dataclass(frozen=True)
class Refusal:
    """The id of a market that is not imported, and the reason."""

    id: str
    reason: str


def choose(
    offers: Iterable[OutsideMarket],
    now: int,
    spots: Mapping[str, float],
    volatility: Mapping[str, float],
    predictions: Sequence[Prediction],
    price_at: PriceAt,
    *,
    short: bool = False,
) -> tuple[list[Prediction], list[Refusal]]:
    """The markets imported at the unix second `now`, largest volume first, and the refused ones.

    At most 40 imported markets are open at the same time, at most 4 of them for one asset and day. Short markets are
    imported only with `short`, and then nothing else: at most 4 that end within one hour, for one asset. By asset,
    `spots` are in USD and `volatility` is a fraction per year; `predictions` are all stored markets and challenges that
    are not settled.
    """
    imports: list[Prediction] = []
    refusals: list[Refusal] = []
    for outside in sorted(offers, key=lambda market: (-market.volume_usd, market.id)):
        market = _read(outside, now, spots, price_at, short)
        if isinstance(market, Prediction):
            reason = _superfluous(market, now, volatility, [*predictions, *imports])
            if reason is None:
                imports.append(market)
                continue
        else:
            reason = market
        refusals.append(Refusal(outside.id, reason))
    return imports, refusals


def _read(
    outside: OutsideMarket, now: int, spots: Mapping[str, float], price_at: PriceAt, short: bool
) -> Prediction | str:
    """The market that would be imported, or the reason why it is refused."""
    if reason := _unfit(outside, now, short):
        return reason
    try:
        read = understand(outside.terms.wording(short=short), Circumstances(utc(now), spots))
    except InvalidRequest as error:
        return f"its question is not understood: {error.detail}"
    if reason := _misread(read, outside, now):
        return reason
    question = _since_start(_as_settled(read, outside.terms, now), outside, now, price_at)
    if question is None:
        return "the price from which its move is measured is unknown"
    return Prediction(
        id=outside.id,
        category="imported",
        question=question,
        rule=outside.terms.rule(outside.source),
        resolver=outside.source,
        created_at=now,
        closes_at=outside.terms.deadline,
        deadline=outside.terms.deadline,
    )


def _unfit(outside: OutsideMarket, now: int, short: bool) -> str | None:
    odds, horizon_s = outside.odds, outside.terms.deadline - now
    if short:
        is_short_move = SHORT_TITLE.fullmatch(outside.terms.question) is not None and 0 < horizon_s < SOONEST_S
        spread = math.inf if odds.bid is None or odds.ask is None else round(odds.ask - odds.bid, 6)
        rules = [
            (is_short_move, "it is not a move of one asset that ends within 2 hours"),
            (odds.fetched_at - now <= LATEST_QUOTE * horizon_s, "its price is later than the votes"),
            (spread <= WIDEST_SPREAD, "its bid and ask are not within 10 percentage points"),
        ]
    else:
        rules = [
            (horizon_s > 0, "its deadline has passed"),
            (SOONEST_S <= horizon_s <= FARTHEST_S, "its deadline is not between 2 hours and 120 days ahead"),
            (outside.volume_usd >= MIN_VOLUME_USD, "its volume is under 1,000 USD"),
        ]
    rules.append((MIN_P <= odds.p_yes <= MAX_P, "its price is not between 2% and 98%"))
    return next((reason for is_met, reason in rules if not is_met), None)


def _misread(read: Question, outside: OutsideMarket, now: int) -> str | None:
    """The reason why the question as read is not the one that the market settles; None if it is."""
    if read.comparator == "open":
        return "its question names no criterion"
    if NOT_NAMED in read.notes:
        return "its question names no deadline"
    if doubts := [note for note in read.notes if not note.startswith(HARMLESS_NOTES)]:
        return f"its question is ambiguous: {doubts[0]}"
    if abs(read.deadline.timestamp() - outside.terms.deadline) > DAY:
        return "its deadline differs by more than a day from the one in its question"
    age_s = math.inf if outside.measured_from is None else now - outside.measured_from
    if read.kind.asks_rise and not 0 <= age_s <= START_TOLERANCE * (outside.terms.deadline - now):
        return "its move is not measured from now"
    return None


def _since_start(question: Question, outside: OutsideMarket, now: int, price_at: PriceAt) -> Question | None:
    """A move that began before `now` as a level, the price at which it began; None if that is unknown."""
    if question.comparator not in Direction.names or outside.measured_from is None or outside.measured_from >= now:
        return question
    start = price_at(question.asset, outside.measured_from)
    level = of_now(replace(question, spot=start), now, question.spot) if start else None
    return replace(level, canonical=canonical(level)) if level else None


def _as_settled(read: Question, terms: Terms, now: int) -> Question:
    """The question with the deadline of its market and, according to the rules, decided at the close or at any time."""
    by_close, by_touch = bool(BY_CLOSE.search(terms.rules)), bool(BY_TOUCH.search(terms.rules))
    comparator = read.comparator
    if by_close != by_touch and isinstance(read.kind, Close | Touch):
        comparator = (Close if by_close else Touch).of(read.kind.side)
    hours = (terms.deadline - now) / HOUR
    question = replace(read, comparator=comparator, deadline=utc(terms.deadline), horizon_hours=hours)
    return replace(question, canonical=canonical(question))


def change_since_import(market: Prediction, terms: Terms) -> str:
    """What is different about an outside market since its import; empty if it asks the same until the same instant.

    It may end earlier, since its source decides it as soon as the outcome is certain.
    """
    if terms.deadline > market.deadline + MOVED_S:
        return f"its end was moved to {iso(terms.deadline)} after it was imported"
    terms = replace(terms, deadline=market.deadline)
    text = terms.wording(short=_is_short(market))
    if (text, terms.rule(market.resolver)) == (market.question.text, market.rule):
        return ""
    try:
        spots = {market.question.asset: market.question.spot}
        read = understand(text, Circumstances(utc(market.created_at), spots))
        is_same = _as_settled(read, terms, market.created_at).canonical == market.question.canonical
    except InvalidRequest:
        is_same = False
    return "" if is_same else "it asks something else since it was imported"


def _superfluous(
    market: Prediction, now: int, volatility: Mapping[str, float], predictions: Sequence[Prediction]
) -> str | None:
    if any(prediction.id == market.id for prediction in predictions):
        return "it is already imported"
    if _is_short(market):  # those of its hour are settled after it, so `predictions` has all of them
        asset, hour = market.question.asset, (market.deadline - 1) // HOUR
        others = [row for row in predictions if _is_short(row) and row.question.asset == asset]
        if sum((row.deadline - 1) // HOUR == hour for row in others) >= MAX_AN_HOUR:
            return f"{MAX_AN_HOUR} short questions for this asset and hour are already imported"
        similar = next((row.id for row in others if row.deadline == market.deadline), None)
        return f"it is nearly the same as {similar}" if similar else None
    open_markets = [prediction for prediction in predictions if prediction.deadline > now and not _is_short(prediction)]
    counts = Counter(_day(prediction) for prediction in open_markets if prediction.category == "imported")
    if counts.total() >= MAX_OPEN:
        return f"{MAX_OPEN} imported questions are already open"
    if counts[_day(market)] >= MAX_A_DAY:
        return f"{MAX_A_DAY} imported questions for this asset and day are already open"
    if market.question.asset not in volatility:
        return f"the volatility of {market.question.asset} is unknown"
    sigma = volatility[market.question.asset] * math.sqrt(market.question.horizon_hours / YEAR_H)
    similar = next((prediction.id for prediction in open_markets if near_copy(market, prediction, sigma)), None)
    return f"it is nearly the same as {similar}" if similar else None


def _is_short(market: Prediction) -> bool:
    return market.category == "imported" and market.deadline - market.created_at < SOONEST_S


def _day(market: Prediction) -> tuple[str, int]:
    return market.question.asset, market.deadline // DAY
