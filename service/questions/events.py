"""Questions that no price decides: whether the SEC approves, an exchange lists, a network halts.

They are recognised by the presence of certain words only: the person who resolves such a question must see from the
text what was asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from service.market.assets import ASSETS
from service.questions.clause import Clause, read_clause
from service.questions.clean import clean
from service.questions.criterion import Criterion
from service.questions.kinds import BEAR, BULL, MARKETS
from service.questions.lexicon import ENGLISH
from service.questions.numerals import spelled
from service.questions.question import Question
from service.questions.scope import FIGURES, are_most_unknown, refuse_looking_back, refuse_loose_ends
from service.questions.sentences import find_question
from service.questions.subject import Subject, available, is_flip
from service.questions.tokens import Token, read
from service.questions.understanding import build, deadline_of
from service.questions.vocabulary import Language

# Markets that are not followed but belong to the subject: a fund of bitcoin, another coin, but not a company.
KINDRED = {"fund", "coin", "lookalike"}
DEEDS = {"act", "metric", "width", "overtake"}
# English words for events that the vocabulary has no kind for.
HAPPENINGS = {
    *("activate", "arrest", "bankrupt", "bankruptcy", "create", "declare", "default", "delay", "depeg", "depegs"),
    *("deploy", "enable", "exploit", "exploited", "fined", "foundation", "freeze", "frozen", "halt", "halted"),
    *("implement", "introduce", "investigate", "join", "joins", "leave", "leaves", "mainnet", "network"),
    *("outage", "outages", "pardon", "protocol", "public", "quit", "quits", "release", "rename", "reorg", "resign"),
    *("resigns", "shut", "sign", "signed", "suspend", "suspended", "testify", "unban", "veto", "withdraw"),
    *("coinbase", "kraken", "binance"),
}
# Kinds that open a question without a yes-or-no answer, and words that ask for advice.
OPENING = {"what", "how", "which", "why", "who", "when"}
ADVISED = {"should", "i", "we", "my", "me"}
# Kinds that may separate an asset from the verb of its price.
LINKS = {"price", "the", "filler", "now", "will"}
MOVES = (["rise"], ["fall"], ["up"], ["down"], ["mood"], ["be", "up"], ["be", "down"], ["be", "mood"])


def understand_event(text: str, now: datetime, spots: Mapping[str, float], until: datetime) -> Question | None:
    """The event that `text` asks about; None if it asks about no event, or about a price.

    The result is an open question about the named asset or, without one, about Bitcoin: voters that forecast prices
    can answer no other question about an event. A past date, another day than `until` and a condition are refused as in
    `understand`, which also describes the parameters.
    """
    cleaned, now = clean(text), now.astimezone(UTC)
    language, tokens = read(cleaned)
    split = find_question(spelled(tokens), language, MARKETS | {"topic"})
    if split is None or split.is_order:
        return None
    refuse_looking_back(split.main)
    if not _is_yes_or_no(split.main, cleaned) or not any(_is_market_matter(token) for token in split.main):
        return None
    subject = _subject(split.main, spots)
    deadline = deadline_of(split, now, language, until)
    spot = float(spots[subject.asset])
    if not _is_event(read_clause(deadline.rest, language, spot), language):
        return None
    refuse_loose_ends(cleaned, split, subject)
    return build(cleaned, now, spot, subject, deadline, Criterion("open", notes=subject.notes))


def _is_yes_or_no(main: Sequence[Token], text: str) -> bool:
    if {token.kind for token in main[:3]} & OPENING or main[0].text in ADVISED:
        return False
    return "?" in text or any(token.kind in ("will", "ask", "li") for token in main)


def _is_market_matter(token: Token) -> bool:
    if token.kind == "other":
        return token.value in KINDRED
    return token.kind in ("asset", "widely") or _is_economy(token)


def _is_economy(token: Token) -> bool:
    return token.kind == "topic" and token.value == "economy"


def _subject(main: Sequence[Token], spots: Mapping[str, float]) -> Subject:
    """The first asset that is named, also by a fund of it; Bitcoin if there is none."""
    named = next((asset for token in main for asset in _assets(token)), "btc")
    asset = available(named, spots)
    return Subject(
        asset, notes=(f"No price decides this question: the votes say where {ASSETS[asset].name} is heading.",)
    )


def _assets(token: Token) -> list[str]:
    """The asset a token names; "solana etf" is a fund of Solana."""
    if token.kind == "other" and token.value == "fund":
        words = [part for word in token.text.split() for part in read(word)[1]]
        return [str(word.value) for word in words if word.kind == "asset"]
    return [str(token.value)] if token.kind == "asset" else []


def _is_event(clause: Clause, language: Language) -> bool:
    """Whether somebody does something, or a figure other than the price goes somewhere."""
    tokens, kinds = clause.tokens, clause.kinds
    if _compares_or_moves_prices(tokens):
        return False
    economy = any(_is_economy(token) for token in tokens) and "asset" not in kinds
    if kinds & FIGURES or economy or _counts_coins(clause):
        return True
    if clause.amounts or clause.has_stray:
        return False
    if kinds & DEEDS or is_flip(tokens) or any(token.text in HAPPENINGS for token in tokens):
        return True
    return _mentions_others(clause, language)


def _mentions_others(clause: Clause, language: Language) -> bool:
    """Whether unknown words show that the question is about something else: "Germany sells", "gold imports rise".

    In other languages than English, too many adverbs are unknown to distinguish such words from "rise sharply".
    """
    kinds = clause.kinds
    words = [token for token in clause.tokens if token.kind == "word" and not token.text.endswith("ly")]
    if "advice" in kinds:
        return bool(words or "other" in kinds) and not any(token.text in ADVISED for token in clause.tokens)
    if kinds & (BULL | BEAR):
        return bool(words) and language is ENGLISH
    return len(words) > 1 and not are_most_unknown(words, clause)


def _compares_or_moves_prices(tokens: Sequence[Token]) -> bool:
    """ "Bitcoin rise on the approval": whether the asset itself moves, unlike in "network go down" and "be added"."""
    for place, token in enumerate(tokens):
        if token.kind in ("outperform", "underperform"):
            return True
        if token.kind in ("asset", "widely"):
            following = [later.kind for later in tokens[place + 1 :] if later.kind not in LINKS]
            if following[:1] in MOVES or following[:2] in MOVES:
                return True
    return False


def _counts_coins(clause: Clause) -> bool:
    """ "Hold 700k BTC", "burn 2 million coins"."""
    behind = [clause.tokens[amount.after] for amount in clause.amounts if amount.after < len(clause.tokens)]
    counted = any(token.kind == "asset" or token.text in ("coins", "tokens") for token in behind)
    return counted and bool(clause.kinds & {"stay", "act", "advice"})
