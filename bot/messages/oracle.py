"""A question in progress, its answer, the votes behind it, and the remaining quota."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from bot.languages import english, translate, translate_plural
from bot.languages.punctuation import ended, enumerated, labelled
from bot.messages.formats import (
    LIKELIHOODS,
    SIDES,
    as_of,
    asset,
    capitalized,
    chance,
    direction_arrow,
    instant,
    percent,
    price,
    time_of_day,
    world,
)
from bot.messages.markup import escaped, message, pages

VOTES_A_PAGE = 5
ADVICE = english("Paper research. Not investment advice.")
# Kinds of questions that name no single price.
WITHOUT_PRICE = ("topic", "both", "either", "relative", "volatility")
# Kinds whose answer is how likely a rise or a fall of the price is.
ON_RISE = ("up", "down")
EXPECTED = {
    "BULLISH": (english("The voters expect the price to rise: {chance}"), "bull"),
    "BEARISH": (english("The voters expect the price to fall: {chance}"), "bear"),
}
UNCLEAR = "?"
IN_ORDER = (SIDES["BULLISH"], SIDES["NEUTRAL"], SIDES["BEARISH"], UNCLEAR)


def waiting(voters: int) -> str:
    """Before the first vote."""
    return translate_plural("Asking {n} voter …", "Asking {n} voters …", voters)


def progress(count: int, voters: int) -> str:
    """While the votes arrive."""
    return translate("{voted} of {voters} have voted.", voted=count, voters=voters)


def busy() -> str:
    """The reply to a second question while the first is open."""
    return translate("One question at a time. Your last one is still being answered.")


def answer(document: Mapping[str, Any], quota: Mapping[str, Any] | None = None, asker: str | None = None) -> str:
    """The answer first, then what was asked and why.

    `quota` is the person's own, None if unknown; `asker` is whose it is in a group, None in a private chat.
    """
    is_cached = document.get("cached")
    blocks = [
        f"<i>{escaped(document['question'], 1000)}</i>",
        "",
        f"<b>{headline(document)}</b>",
        _price_range(document.get("price_forecast")),
        facts(document["understood"]),
        understood_as(document),
        *map(escaped, document["understood"]["notes"][:3]),
        _reason(document),
        _consensus(document),
        _turnout(document),
        _remaining_of(quota, asker) if quota and not is_cached else "",
        translate("The same question was asked minutes ago. This is that answer; it was not counted.")
        if is_cached
        else "",
    ]
    tail = f"<i>{world(document)} · {as_of(document['as_of'])}</i>\n{translate(ADVICE)}"
    return message(blocks, tail)


def answer_brief(document: Mapping[str, Any]) -> str:
    """An answer in one line of plain text, for those with whom it is shared."""
    return f"{headline(document)} – {document['question']}"


def inline_question(question: str) -> str:
    """A question that was sent in inline mode, before its answer."""
    return f"<i>{escaped(question, 1000)}</i>"


def ask_inline() -> str:
    """The title of an article that asks a question, in plain text."""
    return translate("Ask the nine voters")


def readings(document: Mapping[str, Any], others: Iterable[str]) -> str:
    """The other readings of an answered question, under the numbers of their buttons."""
    hint = translate("If you meant something else, send the question in other words, with its level and its date.")
    return message([understood_as(document), "", translate("It can also be read as:"), *numbered(others)], hint)


def votes(document: Mapping[str, Any]) -> list[str]:
    """Every vote with its reasoning, and every abstention with its reason."""
    is_on_price = has_price(document["understood"])
    cast = [vote_lines(name, vote, is_on_price=is_on_price) for name, vote in document["votes"].items()]
    abstentions = [
        translate("<b>{voter}</b> abstained: {reason}", voter=escaped(name, 60), reason=escaped(reason))
        for name, reason in document["abstained"].items()
    ]
    head = f"{translate('<b>Votes</b>')} · {escaped(document['question'], 300)}"
    return pages([*cast, *abstentions], VOTES_A_PAGE, head, translate(ADVICE))


def vote_lines(name: str, vote: Mapping[str, Any], *, is_on_price: bool = True) -> str:
    """One vote: the voter, its probability, on which side of the price it is if on any, and its reasoning."""
    p_yes, has_side = vote["p_yes"], is_on_price and vote["direction"] != "NEUTRAL"
    parts = [
        f"<b>{escaped(name, 60)}</b>",
        translate("yes {chance}", chance=chance(p_yes)) if p_yes is not None else "",
        _side(vote["direction"]) if has_side else "",
        "" if vote["engine"].startswith("embedded") else escaped(vote["engine"], 60),
        translate("its model failed, so the embedded engine voted") if vote.get("fallback") else "",
        translate("far from the other votes, so it counts one third") if vote.get("outlier") else "",
    ]
    head = " · ".join(part for part in parts if part)
    return f"\n{head}\n{escaped(vote['reasoning'], 420)}"


def remaining(usage: Mapping[str, Any]) -> str:
    """The number of questions left today."""
    return _left(usage["quota"])


def _left(quota: Mapping[str, Any]) -> str:
    return translate_plural(
        "{remaining} of {n} question left today",
        "{remaining} of {n} questions left today",
        quota["limit"],
        remaining=quota["remaining"],
    )


def quota(usage: Mapping[str, Any]) -> str:
    """/quota: the remaining questions, and when the quota starts again."""
    reset_at = usage["quota"]["reset_at"]
    if not usage["quota"]["remaining"]:
        return quota_used_up(usage["quota"]["limit"], reset_at)
    reset = translate("The quota starts again: {instant}.", instant=instant(reset_at))
    return f"{ended(capitalized(remaining(usage)))}\n{reset}"


def quota_used_up(limit: int | None, reset_at: str | None) -> str:
    """No question is left today."""
    if limit:
        usage = translate_plural("You have used today's {n} question.", "You have used today's {n} questions.", limit)
    else:
        usage = translate("You have used today's questions.")
    return f"{usage} {translate('You can ask again after {time}.', time=time_of_day(reset_at))}"


def headline(document: Mapping[str, Any]) -> str:
    """How likely yes is, in words; for a question without yes and no, the price or how likely a rise is.

    An answer that was saved by an earlier version has no such words, nor has the latest opinion on a market.
    """
    p_yes, forecast, consensus = document["p_yes"], document.get("price_forecast"), document["consensus"]
    if p_yes is not None:
        words = str(document.get("answer")).partition(":")[0]
        if words in LIKELIHOODS:
            return labelled(translate(words), chance(p_yes))
        return capitalized(translate("yes {chance}", chance=chance(p_yes)))
    if forecast is not None and "50" in forecast["quantiles"]:
        return translate("About {price} USD", price=price(forecast["quantiles"]["50"]))
    bull, bear = (percent(consensus[f"{side}_probability"], 0) for side in ("bull", "bear"))
    return translate("Up: {up} (Down {down})", up=bull, down=bear)


def has_price(meaning: Mapping[str, Any]) -> bool:
    """Whether a question is about the price of one asset."""
    return meaning["comparator"] not in WITHOUT_PRICE


def facts(meaning: Mapping[str, Any]) -> str:
    """The price of now, the level of the question, and its deadline."""
    parts = []
    if has_price(meaning):
        parts.append(translate("{asset} {price} USD now", asset=asset(meaning["asset"]), price=price(meaning["spot"])))
        levels = [price(level) for level in (meaning["level"], meaning["upper_level"]) if level is not None]
        parts += [_levels(*levels)] if levels else []
    return " · ".join([*parts, translate("until {date}", date=instant(meaning["deadline"]))])


def _levels(level: str, upper: str | None = None) -> str:
    if upper is None:
        return translate("level {level} USD", level=level)
    return translate("levels {level} and {upper} USD", level=level, upper=upper)


def understood_as(document: Mapping[str, Any]) -> str:
    """What the question was understood as, in the words of the service."""
    return translate("Understood as: {question}", question=escaped(document["understood"]["canonical"], 500))


def _reason(document: Mapping[str, Any]) -> str:
    """The reasoning of the voter whose vote is the nearest to the consensus."""
    cast = [(name, vote) for name, vote in document["votes"].items() if vote["p_yes"] is not None]
    if not cast:
        return ""
    pool = document["p_yes"]
    if pool is None:
        pool = sum(vote["p_yes"] for _, vote in cast) / len(cast)
    name, vote = min(cast, key=lambda entry: abs(entry[1]["p_yes"] - pool))
    return translate("Why ({voter}): {reason}", voter=escaped(name, 60), reason=escaped(vote["reasoning"], 300))


def _consensus(document: Mapping[str, Any]) -> str:
    """What the voters expect of the price, in one sentence.

    "" for a question that is not about one price, and where the answer itself says that a rise is as likely as a fall.
    """
    consensus, meaning = document["consensus"], document["understood"]
    direction = consensus["direction"]
    if not has_price(meaning):
        return ""
    if direction == "NEUTRAL":
        if meaning["comparator"] in ON_RISE:
            return ""
        return translate("The voters see a rise and a fall of the price as equally likely.")
    if direction not in EXPECTED:
        return _side(direction)
    sentence, side = EXPECTED[direction]
    chance_of_side = percent(consensus[f"{side}_probability"], 0)
    return f"{direction_arrow(direction)} {translate(sentence, chance=chance_of_side)}"


def _remaining_of(quota: Mapping[str, Any], asker: str | None) -> str:
    left = _left(quota)
    return labelled(escaped(asker, 60), left) if asker else capitalized(left)


def _price_range(forecast: Mapping[str, Any] | None) -> str:
    """Where the price will be at the deadline; "" without a forecast of the price."""
    if forecast is None:
        return ""
    quantiles = {key: price(value) for key, value in forecast["quantiles"].items()}
    half, most = (
        translate(
            "{percent} between {low} and {high}", percent=percent(share, 0), low=quantiles[low], high=quantiles[high]
        )
        for share, low, high in ((50, "25", "75"), (90, "5", "95"))
    )
    return translate("Price at the deadline: {half}; {most}", half=half, most=most)


def _turnout(document: Mapping[str, Any]) -> str:
    """How many voted; for a question about one price, how many expect a rise and a fall if any does."""
    votes, abstentions = len(document["votes"]), len(document["abstained"])
    turnout = translate("{voted} of {voters} voted", voted=votes, voters=votes + abstentions)
    sides = Counter(SIDES.get(vote["direction"], UNCLEAR) for vote in document["votes"].values())
    if not has_price(document["understood"]) or not sides.keys() - {SIDES["NEUTRAL"]}:
        return turnout
    return labelled(turnout, enumerated(f"{sides[side]} {translate(side)}" for side in IN_ORDER if sides[side]))


def _side(direction: str) -> str:
    side = translate(SIDES[direction]) if direction in SIDES else escaped(direction, 40)
    return f"{direction_arrow(direction)} {side}"


def numbered(sentences: Iterable[str]) -> list[str]:
    """Questions under the numbers of their buttons."""
    return [f"{number}. {escaped(sentence)}" for number, sentence in enumerate(sentences, 1)]
