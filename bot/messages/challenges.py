"""A challenge: its draft, its confirmation, and how it looks while open and when resolved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.languages import english, translate, translate_plural
from bot.languages.punctuation import labelled
from bot.messages.failures import detail_of, suggestions
from bot.messages.formats import as_of, chance, date, instant, percent, price, sentence, world
from bot.messages.markup import escaped, message, pages, table
from bot.messages.oracle import has_price, understood_as
from bot.messages.predictions import outside_odds, user_votes
from service.client import BadRequest

CHALLENGES_A_PAGE = 5
RIGHT, WRONG, DRAW = "✓", "✗", "="
OUTCOMES = {"yes": english("YES"), "no": english("NO"), "void": english("VOID")}
BAR, BAR_WIDTH = "█", 12  # columns of all votes


def ask_question() -> str:
    """/challenge without a question."""
    return translate(
        "Send one yes/no question with its date, for example:\n"
        "<code>/challenge Will ethereum be above 5,000 USD on 31 December?</code>"
    )


def ask_deadline(question: str) -> str:
    """A question without a date; above buttons with dates."""
    hint = translate("Until when? Choose a date, or send /challenge again with a date in the question.")
    return f"<i>{escaped(question, 3000)}</i>\n\n{hint}"


def bad_question(error: BadRequest) -> str:
    """The reply to a question that the service would refuse."""
    return "\n".join(
        [detail_of(error), *suggestions(error), "", translate("Send /challenge again with another question.")]
    )


def confirm(question: str, deadline: str) -> str:
    """Above [Create] and [Cancel]."""
    until = translate("Deadline: {date}, end of the day in UTC.", date=date(deadline))
    hint = translate("Create this challenge? Everybody can see it, without your name.")
    return f"<i>{escaped(question, 3000)}</i>\n{until}\n\n{hint}"


def created(challenge: Mapping[str, Any]) -> str:
    """The challenge is open; above [Yes] and [No]."""
    blocks = [
        translate(
            "<b>Challenge {number} is open until {date}.</b>",
            number=str(challenge["number"]),
            date=date(challenge["deadline"]),
        ),
        f"<i>{escaped(challenge['question'], 1500)}</i>",
        understood_as(challenge),
        f"{_judge(challenge)} {translate('You will get a message with the outcome.')}",
        translate("The AIs vote within seconds. What is your vote?"),
    ]
    return message(blocks)


def challenge(document: Mapping[str, Any], is_author: bool = False, own_vote: str | None = None) -> str:
    """One challenge, open or resolved, with every vote; `own_vote` is the reader's."""
    author = f" · {translate('yours')}" if is_author else ""
    odds = f" · {outside_odds(document['market_odds'])}" if document["market_odds"] else ""
    blocks = [
        translate("<b>Challenge {number}</b>", number=str(document["number"])) + f"{author} · {state(document)}",
        f"<i>{escaped(document['question'], 800)}</i>",
        understood_as(document),
        f"{pool(document)} · {user_votes(document['user_votes'], own_vote)}{odds}",
        _ai_votes(document),
        _price(document),
        translate("Rule: {rule}", rule=escaped(document["resolution"]["rule"], 400))
        if document["status"] == "open"
        else evidence(document),
    ]
    return message(blocks, footer(document))


def challenges(document: Mapping[str, Any]) -> list[str]:
    """The open challenges in the API's order, CHALLENGES_A_PAGE to a page."""
    briefs = [_brief(challenge) for challenge in document["challenges"]]
    if not briefs:
        return [translate("No challenge is open. Send /challenge to write one.")]
    head = translate_plural("<b>{n} open challenge</b>", "<b>{n} open challenges</b>", document["count"])
    tail = f"{translate('Send /challenge to write one.')}\n<i>{world(document)}</i>"
    return pages(briefs, CHALLENGES_A_PAGE, head, tail)


def resolved(challenge: Mapping[str, Any], is_author: bool = False) -> str:
    """To the author and the followers of a resolved challenge: the outcome, the evidence, which AIs were right."""
    outcome = challenge["resolution"]["outcome"]
    marks = [_mark(vote["p_yes"], outcome) for vote in challenge["ai_votes"].values()]
    blocks = [
        _resolved(challenge["number"], outcome_word(outcome), is_author=is_author),
        f"<i>{escaped(challenge['question'], 800)}</i>",
        evidence(challenge),
        _right(marks) if outcome in ("yes", "no") and marks else "",
        translate("It could not be decided, so no vote is scored.") if outcome == "void" else "",
        _ai_votes(challenge),
        _users(challenge["user_votes"]),
    ]
    return message(blocks, footer(challenge))


def _right(marks: list[str]) -> str:
    return translate_plural(
        "{right} of {n} AI was right.", "{right} of {n} AIs were right.", len(marks), right=marks.count(RIGHT)
    )


def _users(votes: Mapping[str, Any]) -> str:
    if not votes["total"]:
        return ""
    share = percent(votes["yes_pct"], 0)
    return translate_plural(
        "{percent} of {n} user voted yes.", "{percent} of {n} users voted yes.", votes["total"], percent=share
    )


def outcome_word(outcome: str) -> str:
    """The outcome in the language of the chat; a word that is not known stays as it is."""
    return translate(OUTCOMES[outcome]) if outcome in OUTCOMES else escaped(outcome, 60)


def _resolved(number: int, outcome: str, *, is_author: bool) -> str:
    if is_author:
        return translate("<b>Your challenge {number} is resolved: {outcome}</b>", number=str(number), outcome=outcome)
    return translate("<b>Challenge {number} is resolved: {outcome}</b>", number=str(number), outcome=outcome)


def state(challenge: Mapping[str, Any]) -> str:
    if challenge["status"] == "open":
        return translate("open until {date}", date=instant(challenge["closes_at"]))
    outcome = challenge["resolution"]["outcome"]
    if not outcome:
        return translate("closed, not resolved yet")
    return translate("resolved: {outcome}", outcome=outcome_word(outcome))


def _brief(challenge: Mapping[str, Any]) -> str:
    return "\n".join(
        [
            f"\n<b>{challenge['number']}.</b> {escaped(challenge['question'], 420)}",
            f"{pool(challenge)} · {user_votes(challenge['user_votes'])} · "
            + translate("until {date}", date=date(challenge["deadline"])),
        ]
    )


def _judge(challenge: Mapping[str, Any]) -> str:
    if challenge["resolution"]["source"] == "bars":
        return translate("Prices decide it at the deadline.")
    return translate("A person decides it after the deadline.")


def pool(challenge: Mapping[str, Any]) -> str:
    if challenge["votes_pending"]:
        return translate("the AIs are voting")
    pool = challenge["ai"]
    if not pool:
        return translate("no AI voted")
    return ai_yes(pool["p_yes"])


def ai_yes(p_yes: float) -> str:
    """The pool's probability of yes, such as "AI: yes 62%"."""
    return labelled(translate("AI"), translate("yes {chance}", chance=chance(p_yes)))


def _ai_votes(challenge: Mapping[str, Any]) -> str:
    """Each AI's probability of yes; once the challenge is resolved, with a mark for right or wrong."""
    votes = dict(challenge["ai_votes"]) | ({"apex": challenge["apex"]} if challenge["apex"] else {})
    outcome = challenge["resolution"]["outcome"]
    rows = [
        (_mark(vote["p_yes"], outcome), name, translate("yes {chance}", chance=chance(vote["p_yes"])))
        for name, vote in votes.items()
    ]
    return table(rows, "<1", "<12", ">18") if rows else ""


def _mark(p_yes: float | None, outcome: str | None) -> str:
    if outcome not in ("yes", "no") or p_yes is None:
        return ""
    if p_yes == 0.5:
        return DRAW
    return RIGHT if (p_yes > 0.5) == (outcome == "yes") else WRONG


def _price(challenge: Mapping[str, Any]) -> str:
    context = challenge["context"]
    if not context or challenge["status"] != "open" or not has_price(challenge["understood"]):
        return ""
    return translate("Price now: {price} USD.", price=price(context["price"]))


def evidence(challenge: Mapping[str, Any]) -> str:
    text = challenge["resolution"]["evidence"]
    return translate("Evidence: {evidence}", evidence=sentence(text, 400)) if text else ""


def footer(challenge: Mapping[str, Any]) -> str:
    at = challenge["context"]["as_of"] if challenge["context"] else challenge["created_at"]
    market = f"{world(challenge)} · " if "world" in challenge else ""
    return f"<i>{market}{as_of(at)}</i>\n{translate('Not investment advice.')}"


def live_challenge(document: Mapping[str, Any]) -> str:
    """The question, what the AI gives it, and how people voted; once it is resolved, the outcome."""
    is_open, votes = document["status"] == "open", document["user_votes"]
    sides = {"yes": translate("Yes"), "no": translate("No")}
    rows = [(label, _bar(votes[side], votes["total"]), votes[side]) for side, label in sides.items()]
    blocks = [
        translate("<b>Challenge {number}</b>", number=str(document["number"])) + f" · {state(document)}",
        f"<i>{escaped(document['question'], 800)}</i>",
        pool(document),
        table(rows, "<6", f"<{BAR_WIDTH}", ">6"),
        translate("Tap to vote. The group sees how many voted, not who.") if is_open else evidence(document),
    ]
    return message(blocks, footer(document))


def _bar(votes: int, total: int) -> str:
    return BAR * round(BAR_WIDTH * votes / total) if total else ""
