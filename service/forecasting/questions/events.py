"""Questions that no price decides: whether the SEC approves, an exchange lists, a network stands still.

They are told by positive marks alone, as whoever resolves them by hand must see from the text what was asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from service.forecasting.questions.clause import Clause, read_clause
from service.forecasting.questions.clean import clean
from service.forecasting.questions.criterion import Criterion
from service.forecasting.questions.numerals import spelled
from service.forecasting.questions.question import Question
from service.forecasting.questions.scope import are_most_unknown, refuse_looking_back, refuse_loose_ends
from service.forecasting.questions.sentences import find_question
from service.forecasting.questions.subject import Subject, available, is_flip
from service.forecasting.questions.tokens import Token, read
from service.forecasting.questions.understanding import build, deadline_of
from service.forecasting.questions.vocabulary.kinds import BEAR, BULL, MARKETS
from service.market.assets import ASSETS

# Markets that are not followed and yet stand for what is: a fund of bitcoin, another coin. A company is none.
KINDRED = {"fund", "coin", "lookalike"}
DEEDS = {"act", "metric", "overtake"}
# English words of an event that the oracle's vocabulary has no kind for; there they are unknown words.
HAPPENINGS = {
    *("activate", "arrest", "bankrupt", "bankruptcy", "create", "declare", "default", "delay", "depeg", "depegs"),
    *("deploy", "enable", "exploit", "exploited", "fined", "foundation", "freeze", "frozen", "halt", "halted"),
    *("implement", "introduce", "investigate", "join", "joins", "leave", "leaves", "mainnet", "network"),
    *("outage", "outages", "pardon", "protocol", "public", "quit", "quits", "release", "rename", "reorg", "resign"),
    *("resigns", "shut", "sign", "signed", "suspend", "suspended", "testify", "unban", "veto", "withdraw"),
    *("coinbase", "kraken", "binance"),
}
# Words that open a question which is no yes or no, and those that ask for advice.
OPENING = {"what", "how", "which", "why", "who", "when"}
ADVISED = {"should", "i", "we", "my", "me"}
# What may stand between an asset and the verb that says where its price goes.
LINKS = {"price", "the", "filler", "now", "will"}
MOVES = (["rise"], ["fall"], ["up"], ["down"], ["mood"], ["be", "up"], ["be", "down"], ["be", "mood"])


def understand_event(text: str, now: datetime, spots: Mapping[str, float], until: datetime) -> Question | None:
    """The event that `text` asks for until the deadline `until`; None where it asks for none, or for a price.

    `now` and `until` are aware, `spots` USD prices by asset. The question is an open one about the asset that is
    named or, where none is, Bitcoin: that is all that voters who read prices can be asked. A past date, another day
    than `until` and what hangs on a condition are refused as `understand` refuses them.
    """
    cleaned, now = clean(text), now.astimezone(UTC)
    language, tokens = read(cleaned)
    asked = find_question(spelled(tokens), language, MARKETS | {"topic"})
    if asked is None or asked.is_order:
        return None
    refuse_looking_back(asked.main)
    if not _is_yes_or_no(asked.main, cleaned) or not any(_is_market_matter(token) for token in asked.main):
        return None
    subject = _subject(asked.main, spots)
    deadline = deadline_of(asked, now, language, until)
    spot = float(spots[subject.asset])
    if not _is_event(read_clause(deadline.rest, language, spot), language):
        return None
    refuse_loose_ends(cleaned, asked, subject)
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
    """The first asset named, a fund's one included; Bitcoin where there is none."""
    named = next((asset for token in main for asset in _assets(token)), "btc")
    asset = available(named, spots)
    return Subject(asset, notes=(f"No price decides this: the votes say where {ASSETS[asset].name} is heading.",))


def _assets(token: Token) -> list[str]:
    """The asset a token names; "solana etf" is a fund of Solana."""
    if token.kind == "other" and token.value == "fund":
        words = [part for word in token.text.split() for part in read(word)[1]]
        return [str(word.value) for word in words if word.kind == "asset"]
    return [str(token.value)] if token.kind == "asset" else []


def _is_event(clause: Clause, language: str) -> bool:
    """Whether somebody does something, or a figure other than the price goes somewhere."""
    tokens, kinds = clause.tokens, clause.kinds
    if _compares_or_moves_prices(tokens):
        return False
    economy = any(_is_economy(token) for token in tokens) and "asset" not in kinds
    if "metric" in kinds or economy or _counts_coins(clause):
        return True
    if clause.amounts or clause.has_stray:
        return False
    if kinds & DEEDS or is_flip(tokens) or any(token.text in HAPPENINGS for token in tokens):
        return True
    return _speaks_of_others(clause, language)


def _speaks_of_others(clause: Clause, language: str) -> bool:
    """Whether unknown words tell that it is about something else: "Germany sells", "gold imports rise".

    In other languages than English too many adverbs are unknown to tell such words from "rise sharply".
    """
    kinds = clause.kinds
    words = [token for token in clause.tokens if token.kind == "word" and not token.text.endswith("ly")]
    if "advice" in kinds:
        return bool(words or "other" in kinds) and not any(token.text in ADVISED for token in clause.tokens)
    if kinds & (BULL | BEAR):
        return bool(words) and language == "English"
    return len(words) > 1 and not are_most_unknown(words, clause)


def _compares_or_moves_prices(tokens: Sequence[Token]) -> bool:
    """ "Bitcoin rise on the approval": the asset itself moves; a "network go down" and "be added" is no such move."""
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
