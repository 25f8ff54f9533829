"""Questions about two assets at once: both rise, either falls 10%, one above 100k and the other above 3k.

Each asset gets a clause of its own, with the words that both share: "bitcoin and ether rise" becomes "bitcoin rise"
and "ether rise". What the words mean for one asset is decided as in any other question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Literal

from service.errors import InvalidQuestion
from service.questions.amounts import find_amounts
from service.questions.circumstances import Circumstances, Setting
from service.questions.clause import read_clause
from service.questions.criteria import find_criterion
from service.questions.criterion import Criterion, invalid, is_near
from service.questions.dates.deadline import Deadline
from service.questions.dates.matching import spans
from service.questions.dates.reading import Today
from service.questions.dates.roles import with_units
from service.questions.kinds import KINDS
from service.questions.question import Leg
from service.questions.records import of_record
from service.questions.scope import refuse_other_matters, refuse_unreadable
from service.questions.subject import Subject
from service.questions.tokens import Token
from service.questions.vocabulary import RELATIONS, Language

# Kinds that make it a question about two assets; "and" does so between two named assets.
JOINTS = {"both_of", "either_of", "neither_of"}
# Kinds that may stand between two assets of one clause: "bitcoin and also the ether", "both bitcoin as well as ether".
LINKS = {"and", "or", "the", "a", "filler", "mark", "not", "price", "ask", "than", "how", *JOINTS}
# Kinds of a comparison, which "and" does not turn into two events: "which of bitcoin and ether gains more".
COMPARISONS = {"which", "versus", "better", "outperform", "underperform", "what", "how", "overtake"}
# What the words before (-1) or after (1) each of two assets mean together; alone they mean something else.
BOTH_WORDS = ("both_of", "and")
CORRELATIVES: dict[int, dict[str, tuple[str, str]]] = {
    -1: dict.fromkeys(("sia che", "sia sia", "tanto como", "tanto quanto", "и и", "sowohl auch", "et et"), BOTH_WORDS)
    | {"ne ne": ("not", "not")},
    1: dict.fromkeys(("も も", "da da", "da de", "de da", "de de"), BOTH_WORDS),
}
HOW = "For example: Will both bitcoin be above 100,000 and ethereum above 3,000 by Friday?"


def refuse_two_deadlines(tokens: Sequence[Token], now: datetime, language: Language) -> None:
    """Refuse "btc 100k by Friday and eth 3k by Christmas"."""
    dates = spans(with_units(tokens), Today(now, day_first=not language.month_first))
    if len({span.dates.end for span in dates if not span.is_past}) > 1:
        raise invalid(f"Name one deadline for the two assets. {HOW}", "deadline")


@dataclass(frozen=True)
class Pair:
    """The tokens of a question about two assets, with the places of the two names."""

    tokens: tuple[Token, ...]
    first: int
    second: int

    @property
    def between(self) -> tuple[Token, ...]:
        return self.tokens[self.first + 1 : self.second]

    @property
    def kinds(self) -> set[str]:
        return {token.kind for token in self.tokens}

    @property
    def denies_each(self) -> bool:
        """Example: "Ni bitcoin ni ether"."""
        before = [
            [token for token in self.tokens[:place] if token.kind != "the"] for place in (self.first, self.second)
        ]
        denials = [tokens[-1] for tokens in before if tokens and tokens[-1].kind == "not"]
        return len(denials) == 2 and denials[0].text == denials[1].text


def find_pair(
    deadline: Deadline, subject: Subject, language: Language, circumstances: Circumstances
) -> Criterion | None:
    """The two events of a question about both or either of two assets; None for any other question.

    Raises InvalidQuestion for two assets whose events cannot be told apart.
    """
    spots = circumstances.spots
    pair = _pair(deadline.rest, subject, spots)
    comparator = pair and _comparator(pair, subject)
    if pair is None or comparator is None:
        return None
    denies_pair = ("not", "both_of") in pairwise(token.kind for token in pair.tokens)
    negated = "neither_of" in pair.kinds or pair.denies_each or denies_pair
    if not negated and any(token.kind == "not" for token in pair.between):
        raise _negated()
    names = [str(pair.tokens[place].value) for place in (pair.first, pair.second)]
    is_shared = _are_links(pair.between)  # "bitcoin and ether rise"
    clauses = _shared(pair, [float(spots[name]) for name in names]) if is_shared else _separate(pair)
    omissions = {*JOINTS, "not"} if negated else JOINTS  # the negation is that of the whole question
    legs, notes = [], []
    for asset, clause in zip(names, clauses, strict=True):
        tokens = [token for token in clause if token.kind not in omissions]
        criterion = _criterion(asset, replace(deadline, rest=tokens), language, circumstances)
        if criterion is None:
            return None
        if not KINDS[criterion.comparator].leg:
            raise invalid(f"For each of two assets, name one level, a fall, a rise or a percentage. {HOW}", "level")
        fields = {name: getattr(criterion, name) for name in ("comparator", "negated", "level", "level_pct")}
        legs.append(Leg(asset, spot=float(spots[asset]), **fields))
        notes += criterion.notes
    return Criterion(comparator, legs=tuple(legs), negated=negated, notes=tuple(dict.fromkeys(notes)))


def _pair(tokens: Sequence[Token], subject: Subject, spots: Mapping[str, float]) -> Pair | None:
    """The tokens, each asset named once; None unless exactly two assets with a price are named."""
    result = _with_correlatives(_without_tickers(tokens))
    places = [place for place, token in enumerate(result) if token.kind in ("asset", "other")]
    names = [result[place].value for place in places]
    if len(set(names)) > 2 and {token.kind for token in result} & JOINTS:
        raise invalid(f"Ask about exactly two assets. {HOW}")
    if len(places) != 2 or set(names) - set(spots) or names[0] != subject.asset or names[0] == names[1]:
        return None
    return Pair(tuple(result), *places)


def _without_tickers(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without a second name of an asset right after the first: "Bitcoin (btc)"."""
    result: list[Token] = []
    for place, token in enumerate(tokens):
        around = [*result[-2:], *tokens[place : place + 2]]
        if len(around) == 4 and [around[1].text, around[3].text] == ["(", ")"] and around[0].value == token.value:
            result.pop()
        elif not (token.text == ")" and place > 1 and tokens[place - 1].kind == "asset" and result[-1].text != "("):
            result.append(token)
    return result


def _with_correlatives(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with "ne btc ne eth", "sia btc che eth", "金も銀も" as denials or as words for both."""
    result = list(tokens)
    places = [place for place, token in enumerate(tokens) if token.kind == "asset"]
    is_choice = bool(places) and any(token.kind == "or" for token in tokens[places[0] : places[-1]])
    for step in (-1,) if is_choice else (-1, 1):  # Turkish "btc'de %5 ya da eth'de %8"
        neighbours = [place + step for place in places if 0 <= place + step < len(tokens)]
        kinds = CORRELATIVES[step].get(" ".join(tokens[place].text for place in neighbours), ())
        for place, kind in zip(neighbours, kinds, strict=False):
            result[place] = replace(tokens[place], kind=kind)
    if len(places) > 1 and all(tokens[place].text.endswith("も") for place in places):
        result.insert(places[0] + 1, Token("both_of", "も"))  # "金も", which is a word of its own
    return result


def _comparator(pair: Pair, subject: Subject) -> Literal["both", "either"] | None:
    """The kind that the words between the assets name; a choice without a word for it stays a comparison."""
    kinds = pair.kinds
    if any(token.kind == "ordinal" and token.value == 1 for token in pair.tokens):
        raise invalid(f"Which of two assets does something first is not covered. {HOW}")
    if any(token.kind == "either_of" and token.value == "exact" for token in pair.tokens):
        raise invalid(f"Whether exactly one of two events takes place is not covered. {HOW}")
    between = {token.kind for token in pair.between}
    if kinds & {"either_of", "neither_of"} or pair.denies_each:
        return "either"
    if kinds & COMPARISONS and "both_of" not in kinds:
        return None
    if "both_of" in kinds or ("and" in between and subject.other is None):
        return "both"
    return "either" if "or" in between and find_amounts(pair.tokens) else None


def _shared(pair: Pair, spots: Sequence[float]) -> list[list[Token]]:
    """One clause for both assets; of two levels each asset gets its own."""
    head, tail = pair.tokens[: pair.first], pair.tokens[pair.second + 1 :]
    clauses = [[*head, pair.tokens[place], *tail] for place in (pair.first, pair.second)]
    amounts = find_amounts(clauses[0])
    if len(amounts) == 2:  # "100k and 3k", "100k / 3k", but not the ends of a range
        first, second = amounts
        gap = clauses[0][first.after : second.first]
        if gap and _are_links(gap):
            del clauses[0][first.after : second.after], clauses[1][first.first : second.first]
            return clauses
    levels = [amount for amount in amounts if not (amount.is_percent or amount.is_multiple or amount.sign)]
    if any(not is_near(level.value(spot), spot) for level in levels for spot in spots):
        raise invalid(f"Name a level for each of the two assets. {HOW}", "level")
    return clauses


def _are_links(tokens: Sequence[Token]) -> bool:
    """Whether the tokens do no more than join what they stand between."""
    return all(token.kind in LINKS or token.text in (",", "/") for token in tokens)


def _separate(pair: Pair) -> list[list[Token]]:
    """Two clauses, "btc above 100k and eth above 3k"; one without a verb gets that of the other."""
    conjunctions = ("and", "or", "not") if "neither_of" in pair.kinds else ("and", "or")
    joints = [place for place in range(pair.first, pair.second) if pair.tokens[place].kind in conjunctions]
    if not joints:
        raise invalid(f"What each of the two assets should do is unclear. {HOW}")
    clauses = [list(pair.tokens[: joints[-1]]), list(pair.tokens[joints[-1] + 1 :])]
    return [_completed(clause, other) for clause, other in zip(clauses, reversed(clauses), strict=True)]


def _completed(clause: list[Token], other: list[Token]) -> list[Token]:
    """The clause, or the other one with this one's asset and amount where this one has no verb."""
    own_amounts, amounts = find_amounts(clause), find_amounts(other)
    is_size = any(amount.is_percent for amount in own_amounts)  # which Russian "на" relates to no level
    relations = RELATIONS - {"on"} if is_size else RELATIONS
    relates, other_relates = (any(token.kind in relations for token in tokens) for tokens in (clause, other))
    if relates or not other_relates or len(own_amounts) != 1 or len(amounts) != 1:
        return clause
    amount, target = clause[own_amounts[0].first : own_amounts[0].after], amounts[0]
    result = [*other[: target.first], *amount, *other[target.after :]]
    asset = next(token for token in clause if token.kind == "asset")
    return [asset if token.kind == "asset" else token for token in result]


def _criterion(asset: str, deadline: Deadline, language: Language, circumstances: Circumstances) -> Criterion | None:
    """What must happen to one asset; None if its clause names no event."""
    spot = float(circumstances.spots[asset])
    clause = read_clause(deadline.rest, language, spot, circumstances.rates)
    refuse_other_matters(clause, deadline)
    setting = Setting(asset, spot, circumstances.now, deadline.at, circumstances.history)
    criterion = of_record(clause, setting) or find_criterion(clause, spot, deadline.preposition)
    if criterion.comparator == "open":
        return None
    refuse_unreadable(clause, criterion, deadline, deadline.rest)
    if clause.negated:
        raise _negated()
    return criterion


def _negated() -> InvalidQuestion:
    return invalid(f"Ask about two assets without a negation, or with neither. {HOW}")
