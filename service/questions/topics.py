"""Questions that no price decides: whether the SEC approves, an exchange lists, a network halts.

They are recognised by the presence of certain words only: the person who resolves such a question must see from the
text what was asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from service.errors import InvalidQuestion, InvalidRequest, NotAMarketQuestion
from service.market.assets import ASSETS
from service.questions.circumstances import Circumstances
from service.questions.clause import Clause, read_clause
from service.questions.coins import TokenizedText, named_coins, read_markets
from service.questions.completion import CARRY, LEADING
from service.questions.conversation import ContextQuestion, carry_on
from service.questions.criterion import Assumption, AssumptionCode, Criterion
from service.questions.lexicon import ENGLISH, forms
from service.questions.parse import NOT_NAMED, Parse, build
from service.questions.question import Question
from service.questions.scope import FIGURES, are_most_unknown, refuse_looking_back, refuse_loose_ends
from service.questions.sentences import find_question
from service.questions.single_days import DATES
from service.questions.subject import Subject, available, is_flip, refuse_ratio
from service.questions.tokens import Token, read
from service.questions.understanding import deadline_of, parse_tokenized, refusing, suggested
from service.questions.vocabulary import BEAR, BULL, MARKET_KINDS, Language

# The price of a coin in a text that is read only to learn whether prices decide the question.
ASSUMED_USD = 1.0
# The values of markets that are not followed but belong to the subject: a fund of bitcoin, another coin, but not a
# company; and of what an economy does.
KINDRED, ECONOMY = {"fund", "coin", "stablecoin", "lookalike"}, "economy"
DEEDS = {"act", "metric", "width", "overtake"}
# Words for events that the vocabulary has no kind for; words of elections and of central banks that are matters of
# markets in a question about an event, not in one about a price: "Bitcoin after the election?"
HAPPENINGS, MATTERS = forms("happening"), forms("matter")
DOMINANCE = ("domina", "домини", "доминац", "ドミナンス", "市占")
# Kinds that open a question without a yes-or-no answer, and words that ask for advice.
OPENING = {"what", "how", "which", "why", "who", "when"}
ADVICE_WORDS = {"should", "i", "we", "my", "me"}
# Kinds that may separate an asset from the verb of its price.
LINKS = {"price", "the", "filler", "now", "will"}
# Comparators as which an event may be misread: "Will gold be added to the reserves?" Where others rely on the question,
# every one without an amount is read again.
MISREAD = ("up", "down")
WITHOUT_AMOUNT = (*MISREAD, "open", "relative")
# What a whole question may leave open, because an earlier one does not say it either.
DATE_CODES: set[AssumptionCode] = {"deadline", "start"}
MOVES = (["rise"], ["fall"], ["up"], ["down"], ["mood"], ["be", "up"], ["be", "down"], ["be", "mood"])


class TopicQuestion(NamedTuple):
    """A question that no price decides, and the language of its text."""

    question: Question
    language: Language


@refusing()
def read_any(text: str, circumstances: Circumstances, context: ContextQuestion | None = None) -> Parse | TopicQuestion:
    """The question that prices decide, else the topic; if the text is neither, raises the refusal of the former.

    `context` is the earlier question that the text may carry on. A topic's asset is the one whose prices are shown
    beside it: the first one that is named, or Bitcoin. A past date, another day than `until` and a condition are
    refused as in `understand`. A note says so where no deadline was named.
    """
    reading = read_markets(text, circumstances.coins, context and context.language)
    try:
        if context is None:
            parse = parse_tokenized(reading, circumstances)
        else:
            parse = _whole_question(reading, circumstances) or carry_on(reading, circumstances, context)
    except (InvalidQuestion, NotAMarketQuestion) as refusal:
        reason = refusal
        try:
            if topic := _read_topic(reading, circumstances):
                return topic
        except InvalidQuestion as topic_refusal:
            reason = topic_refusal
        reading = _completed(reading, context.question) if context else reading
        raise suggested(reason, reading, circumstances) from None
    parse = _after(parse, context) if context else parse
    if parse.question.comparator not in (WITHOUT_AMOUNT if parse.is_bound else MISREAD):
        return parse
    return _read_topic(reading, circumstances) or parse


def _after(parse: Parse, context: ContextQuestion) -> Parse:
    """The question with the one that it follows; after a price or an alert, with a note that no date was named."""
    if not (context.is_alert or context.is_price):
        return replace(parse, follows=context.question.canonical)
    notes = (*parse.deadline.notes, NOT_NAMED) if "deadline" in parse.carryover else parse.deadline.notes
    return replace(parse, deadline=replace(parse.deadline, notes=notes))


def _whole_question(reading: TokenizedText, circumstances: Circumstances) -> Parse | None:
    """The question of a text that names asset, event and date, so that an earlier one adds nothing; else None.

    "And eth up by friday?" may leave out by how much.
    """
    if not any(token.kind in MARKET_KINDS for token in reading.tokens):
        return None
    try:
        parse = parse_tokenized(reading, circumstances)
    except InvalidRequest:
        return None
    codes = {note.code for note in parse.question.notes if isinstance(note, Assumption)}
    carries = reading.tokens[0].kind in LEADING or any(token.value == CARRY for token in reading.tokens)
    is_bare = carries and not parse.clause.amounts
    is_asked = parse.question.comparator != "open" or bool(parse.clause.kinds & {"what", "how", "forecast"})
    is_dated = parse.deadline.is_named or parse.clause.has_order
    is_whole = is_dated and is_asked and codes - {"words"} <= DATE_CODES and not is_bare
    return parse if is_whole else None


def _completed(reading: TokenizedText, earlier: Question) -> TokenizedText:
    """The follow-up with the asset, levels and day of the earlier question, for suggestions close to both."""
    kinds, day = {token.kind for token in reading.tokens}, Token("iso", f"{earlier.deadline:%Y-%m-%d}")
    if kinds & MARKET_KINDS:
        return reading if kinds & {*DATES, "eo", "holiday"} else reading._replace(tokens=[*reading.tokens, day])
    levels = () if "number" in kinds else earlier.levels
    numbers = [token for level in levels for token in (Token("number", f"{level:.10g}"), Token("money", "usd"))]
    asset = Token("asset", earlier.asset, earlier.asset)
    return reading._replace(tokens=[asset, *numbers, *reading.tokens, day])


@refusing()
def coins_to_price(text: str, circumstances: Circumstances) -> tuple[str, ...]:
    """The keys of the listed coins whose prices are needed to understand a text; none for a topic.

    Raises InvalidRequest for a text that is too long or not clean.
    """
    keys = named_coins(read_markets(text, circumstances.coins))
    if not keys:
        return ()
    assumption = replace(circumstances, spots={**circumstances.spots, **dict.fromkeys(keys, ASSUMED_USD)})
    with suppress(InvalidRequest):
        return () if isinstance(read_any(text, assumption), TopicQuestion) else keys
    return keys


def _read_topic(reading: TokenizedText, circumstances: Circumstances) -> TopicQuestion | None:
    """The topic of a text; None if it asks about no event, or about a price."""
    language = reading.language
    economy = {"kind": "topic", "value": ECONOMY}
    tokens = [replace(token, **economy) if token.text in MATTERS else token for token in reading.tokens]
    split = find_question(tokens, language, MARKET_KINDS | {"topic"})
    if split is None or split.is_order:
        return None
    refuse_looking_back(split.main)
    refuse_ratio(split.main, language, circumstances)
    is_of_markets = any(token.kind in ("asset", "widely") or token.value in {ECONOMY, *KINDRED} for token in split.main)
    opens = {token.kind for token in split.main[:3]} & OPENING or split.main[0].text in ADVICE_WORDS
    is_asked = "?" in reading.text or any(token.kind in ("will", "ask", "li") for token in split.main)
    if not is_of_markets or opens or not is_asked:
        return None
    subject = _subject(split.main, circumstances.spots)
    deadline = deadline_of(split, language, circumstances, subject.asset)
    spot = float(circumstances.spots[subject.asset])
    if not _is_event(read_clause(deadline.rest, language, spot), language):
        return None
    refuse_loose_ends(reading.text, split, subject)
    deadline_notes = () if deadline.is_named or circumstances.until is not None else (NOT_NAMED,)
    criterion = Criterion("topic", notes=(*subject.notes, *deadline_notes))
    return TopicQuestion(build(reading.text, circumstances.now, spot, subject, deadline, criterion), language)


def _subject(main: Sequence[Token], spots: Mapping[str, float]) -> Subject:
    """The first asset that is named, also by a fund of it; Bitcoin if there is none."""
    key = next((asset for token in main for asset in _assets(token)), "btc")
    note = f"No price decides this question. The voters are shown the price of {ASSETS[key].name}."
    return Subject(available(key, spots), notes=(note,))


def _assets(token: Token) -> list[str]:
    """The asset a token names; "solana etf" is a fund of Solana."""
    if token.kind == "other" and token.value == "fund":
        words = [part for word in token.text.split() for part in read(word)[1]]
        return [str(word.value) for word in words if word.kind == "asset"]
    return [str(token.value)] if token.kind == "asset" and token.value in ASSETS else []


def _is_event(clause: Clause, language: Language) -> bool:
    """Whether somebody does something, or a figure other than the price goes somewhere."""
    tokens, kinds = clause.tokens, clause.kinds
    if _compares_or_moves_prices(tokens):
        return False
    # "Bitcoin dominance" is its share of the value of all coins.
    has_dominance = any(token.kind == "other" and any(stem in token.text for stem in DOMINANCE) for token in tokens)
    economy = any(token.value == ECONOMY for token in tokens) and "asset" not in kinds
    if kinds & FIGURES or economy or _counts_coins(clause) or has_dominance:
        return True
    if clause.amounts or clause.has_stray:
        return False
    is_deed = kinds & DEEDS or is_flip(tokens) or any(token.text in HAPPENINGS for token in tokens)
    return bool(is_deed) or _mentions_others(clause, language)


def _mentions_others(clause: Clause, language: Language) -> bool:
    """Whether unknown words show that the question is about something else: "Germany sells", "gold imports rise".

    In other languages than English, too many adverbs are unknown to distinguish such words from "rise sharply".
    """
    kinds = clause.kinds
    words = [token for token in clause.tokens if token.kind == "word" and not token.text.endswith("ly")]
    if "advice" in kinds:
        return bool(words or "other" in kinds) and not any(token.text in ADVICE_WORDS for token in clause.tokens)
    if kinds & (BULL | BEAR):
        return bool(words) and language is ENGLISH
    return len(words) > 1 and not are_most_unknown(words, clause)


def _compares_or_moves_prices(tokens: Sequence[Token]) -> bool:
    """Example: "Bitcoin rise on the approval": whether the asset itself moves, unlike in "network go down"."""
    kinds = [token.kind for token in tokens if token.kind not in LINKS]
    places = [place for place, kind in enumerate(kinds, 1) if kind in ("asset", "widely")]
    moves = any(kinds[place : place + size] in MOVES for place in places for size in (1, 2))
    return moves or not {"outperform", "underperform"}.isdisjoint(kinds)


def _counts_coins(clause: Clause) -> bool:
    """Example: "Hold 700k BTC", "burn 2 million coins"."""
    behind = [clause.tokens[amount.after] for amount in clause.amounts if amount.after < len(clause.tokens)]
    has_coins = any(token.kind == "asset" or token.text in ("coins", "tokens") for token in behind)
    return has_coins and bool(clause.kinds & {"stay", "act", "advice"})
