"""What a person follows, and the alerts about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby

from bot.languages import TEXTS, bracketed, english, enumerated, sentences, translate
from bot.messages.formats import (
    WORDS,
    Document,
    asset,
    capitalized,
    chance,
    change_arrow,
    decimal,
    footer,
    instant,
    noun,
    price,
    signed_percent,
    world,
)
from bot.messages.markup import escaped, message
from bot.messages.oracle import topic
from bot.messages.predictions import evidence, market_footer, outcome_word, question
from bot.store import Follow, Target

CHALLENGE = "challenge-"  # how the id of a challenge begins; its number follows
FOLLOW_REPLIES = TEXTS["followed"]  # what happens now
# The outcome of a question without yes and no.
ROSE = {"yes": english("the price rose"), "no": english("the price did not rise")}
HOW = TEXTS["notices"]["how_to_follow"]
END_OF_FOLLOW = english("You do not follow this any more.")
NO_ALERT, NO_ALERTS = english("You have no such alert, so nothing was deleted."), english("You have no alerts.")


def following(follows: Sequence[Follow], prices: Mapping[str, float]) -> str:
    """Everything that the person follows, under the numbers of the buttons that end it; `prices` are those of now."""
    if not follows:
        return sentences(translate("You follow nothing."), translate(HOW))
    lines = _numbered(follows, prices)
    return message([translate("<b>You follow</b>"), *lines], translate("A button ends the one with its number."))


def ending(follows: Sequence[Follow]) -> str:
    """The question whether all of these should end."""
    return message([translate("<b>End all of these?</b>"), *_numbered(follows, {})])


def _numbered(follows: Sequence[Follow], prices: Mapping[str, float]) -> list[str]:
    return [f"{number}. {_target(follow)}{_terms(follow, prices)}" for number, follow in enumerate(follows, 1)]


def followed(target: Target) -> str:
    """The pop-up after [Follow] or a level, in plain text."""
    kind = "challenge" if target.kind == "market" and target.subject.startswith(CHALLENGE) else target.kind
    kind = "fall" if kind == "price" and target.is_fall else kind
    level = {"asset": noun(target.subject), "price": price(target.level), "chance": chance(target.level)}
    where = translate("It comes to our private chat. /following lists everything.")
    return sentences(capitalized(translate(FOLLOW_REPLIES[kind], **level)), where)


def alert_set(target: Target, quote: Document, others: Sequence[float], *, is_move: bool) -> str:
    """The reply to an alert by text: a move is a level without a period; the `others` of its asset stay."""
    distance = signed_percent(100 * (target.level / quote["price"] - 1))
    return sentences(
        followed(target),
        translate("That is {change} from the price now, however long it takes.", change=distance) if is_move else "",
        translate("Your other alerts stay: {prices} USD.", prices=enumerated(map(price, others))) if others else "",
        "" if quote["market_open"] else translate("This market is closed now."),
    )


def follows_too_much(limit: int) -> str:
    """The pop-up or reply at the limit, in plain text."""
    return translate("You can follow {limit} things at once. /following lets you end some.", limit=limit)


def bad_follow() -> str:
    """/follow with something else than an asset and a price."""
    return sentences(translate("Send an asset and a price."), translate(HOW))


def strange_level(key: str, level: float, now: float) -> str:
    """A level that is far from the price."""
    values = {"level": price(level), "asset": capitalized(noun(key)), "price": price(now)}
    return sentences(translate("{level}? {asset} is at {price} USD now.", **values), translate("No alert is set."))


def passed_level(key: str, level: float, now: float) -> str:
    """A level on the other side of the price than the text says; its button sets the alert the other way round."""
    values = {"asset": capitalized(noun(key)), "price": price(now), "level": price(level)}
    if now >= level:
        return translate("{asset} is at {price} USD, already above {level}. Tell you when it falls back?", **values)
    return translate("{asset} is at {price} USD, already below {level}. Tell you when it rises back?", **values)


def ask_level(key: str) -> str:
    """An alert without a level."""
    return translate("At which price of {asset} shall I tell you? Tap one, or send a number.", asset=asset(key))


def price_reached(prices: Document, quote: Document, targets: Sequence[Target]) -> str:
    """A price has fallen or risen to one or more levels that the person chose, in order."""
    change = quote["change_24h_pct"]
    now = translate("{price} USD now, {change} in 24 hours", price=price(quote["price"]), change=signed_percent(change))
    name, heads = capitalized(noun(quote["asset"])), []
    for is_fall, group in groupby(targets, lambda target: target.is_fall):
        text = TEXTS["notices"]["fallen" if is_fall else "reached"]
        heads.append(translate(text, asset=name, price=enumerated(price(target.level) for target in group)))
    blocks = [*heads, f"{change_arrow(change)} {now}"]
    return message(blocks, f"{footer(prices)}\n{translate('Not investment advice.')}")


def chance_reached(market: Document, level: float) -> str:
    """The pool's probability has reached the level that the person chose."""
    head = translate("<b>The AI's probability of yes has reached {chance}</b>", chance=chance(level))
    now = translate("Now: {chance}", chance=chance(market["ai_now"]["p_yes"]))
    return message([head, _quoted(question(market)), now], market_footer(market))


def sides_changed(market: Document) -> str:
    """The pool now finds the other outcome of a market likelier."""
    p = market["ai_now"]["p_yes"]
    if p >= 0.5:
        head = translate("<b>The AI changed sides: now yes, {chance}</b>", chance=chance(p))
    else:
        head = translate("<b>The AI changed sides: now no, {chance}</b>", chance=chance(1 - p))
    return message([head, _quoted(question(market))], market_footer(market))


def answer_resolved(answer: Document) -> str:
    """The outcome of an answered question, and what the answer was."""
    p_yes, score, outcome = answer["p_yes"], answer["score"], outcome_word(answer["resolution"]["outcome"])
    if p_yes is None and answer["resolution"]["outcome"] in ROSE:
        outcome = translate(ROSE[answer["resolution"]["outcome"]])
    blocks = [
        translate("<b>Your question is decided: {outcome}</b>", outcome=outcome),
        f"<i>{topic(answer)}</i>",
        evidence(answer),
        translate("The answer was yes {chance}.", chance=chance(p_yes)) if p_yes is not None else "",
        translate("Brier score {score} (0 is perfect, {coin} a coin flip)", score=decimal(score["brier"], 2), coin=0.25)
        if score
        else "",
    ]
    return message(blocks, f"<i>{world(answer)} · {WORDS}</i>\n{translate('Not investment advice.')}")


def _target(follow: Follow) -> str:
    kind, subject, level, title, *_ = follow.target
    if kind == "price":
        return translate("{asset} at {price} USD", asset=asset(subject), price=price(level))
    name = escaped(title, 200)
    if not title:
        name = translate("Challenge {number}", number=escaped(subject.removeprefix(CHALLENGE), 60))
    return translate("{question}: AI at {chance}", question=name, chance=chance(level)) if kind == "chance" else name


def _terms(follow: Follow, prices: Mapping[str, float]) -> str:
    """The distance to the level, the end, and whether it comes again."""
    now = prices.get(follow.target.subject) if follow.target.kind == "price" else None
    end = f"{datetime.fromtimestamp(follow.until, UTC):%Y-%m-%dT%H:%M:%SZ}" if follow.until else ""
    parts = [
        signed_percent(100 * (follow.target.level / now - 1)) if now else "",
        translate("until {date}", date=instant(end)) if end else "",
        translate("Again").lower() if follow.repeats else "",
    ]
    return bracketed(enumerated(parts)) if any(parts) else ""


def price_missed(key: str, level: float) -> str:
    """The end of an alert whose level was not reached."""
    values = {"asset": capitalized(noun(key)), "price": price(level)}
    return translate("{asset} did not reach {price} USD. The alert has ended.", **values)


def _quoted(question: str) -> str:
    return f"<i>{escaped(question, 800)}</i>"
