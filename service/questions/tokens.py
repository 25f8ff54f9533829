"""The question as a sequence of tokens, each with its kind from the vocabulary."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from service.errors import FieldError, InvalidRequest
from service.questions.criterion import EXAMPLE, invalid
from service.questions.lexicon import GLYPH, NUMERALS, Lexicon, Sense, Senses, fold, guess_language, lexicon
from service.questions.vocabulary import Language

LETTER = f"(?:(?![{GLYPH}])[^\\W\\d_])"
WORD = f"{LETTER}+(?:['&]{LETTER}+)*"
# The words by which a language is guessed; the ending of a number is none: French "1er".
WORDS = re.compile(rf"(?<![^\W_]){WORD}")
TOKEN = re.compile(
    rf"""
    (?P<stamp>\d{{4}}-\d\d-\d\dt\d\d:\d\d(?::\d\d)?(?:\.\d+)?[+-]\d\d:?\d\d(?!\d))
    |(?P<iso>\d{{4}}-\d{{1,2}}-\d{{1,2}})(?!\d)(?:t(?=\d\d?:\d\d))?
    |(?P<zone>\b(?:utc|gmt)\ ?[+−-]\d{{1,2}}(?::?\d\d)?(?!\d))
    |(?P<date>\d{{1,4}}(?P<separator>[./-])\d{{1,2}}(?P=separator)\d{{2,4}}(?![\d.,]*\d))
    |(?P<glyphdate>(?:\d{{4}}\ ?年\ ?)?\d{{1,2}}\ ?月(?:\ ?\d{{1,2}}\ ?[日号號])?)
    |(?P<slash>\d{{1,2}}/\d{{1,2}}(?![\d/]))
    |(?<!\bl)(?<!\bd)(?<!ll)'(?P<shortyear>\d\d)(?!\w)
    |(?P<clock>\d{{1,2}}:\d\d(?::\d\d)?)
    |(?P<nth>\d{{1,2}}(?:(?:st|nd|rd|th|(?<=\b1)er|º|ª|°|-?(?:го|е|му))(?!{LETTER})(?:\ числ[аоу])?|\ числ[аоу]
        |日(?![間以内后後中均移線线]|(?<!(?<!\d)1日)で)|[号號])|第\d{{1,2}}(?!\d))
    |(?P<number>(?<![\w.])\.\d+|\d+(?:\.\d+)?e\d{{1,2}}(?!\w)|\d+(?:[.,'_]\d+)*)
    |(?P<word>{WORD})
    |(?P<glyphs>(?:(?!第\d)[{GLYPH}])+)
    |(?P<mark>[^\s\w]|_)
    """,
    re.VERBOSE,
)
# Markup and template syntax are not words: "<b>100k</b>" is 100k, not "more than 100k".
MARKUP = re.compile(
    r"<script.*?</script>|</?[a-z!][^<>]{0,200}>|<\|[^<>]{0,40}\|>"
    r"|\{\{[^{}]{0,200}\}\}|\{%[^{}]{0,200}%\}|\$\{[^{}]{0,200}\}|https?://\S+"
)
HYPHENS = ("-", "‐", "‑")
# Marks between the two ends of a range.
DASHES = "-–—~〜−"
# Reading takes longer the more tokens there are; a question of people has fewer.
MOST_TOKENS = 120
# A text with more numbers and dates is a table or a log.
MOST_NUMBERS = 20
# Signs of a number: a longer one is refused as a level with as many, too, and could overflow before.
LONGEST_NUMBER = 30
NUMBERS = {
    "number", "numword", "numeral", "fraction", "figures", "times", "nth", "date", "iso", "slash", "glyphdate", "clock",
    "shortyear", "weekday", "month", "unit", "rel", "holiday", "eo", "weekend",
}  # fmt: skip
ABBREVIATIONS = re.compile(r"\b([ap])\. ?m\b\.?|\bu\. ?s\b\.?|\+ ?/? ?[-−](?= ?\d)")
# "In 1y"; alone it is Spanish for "and".
YEARS = re.compile(r"(?<=\d)(?:y\b(?! ?\d)| y\b(?= ?[?.,!]| ?$| from\b))")
# "x3", as many write "3x".
MULTIPLE = re.compile(r"\b[x×](\d{1,3}(?:[.,]\d+)?)\b")
# Months and days in Chinese numerals: "十二月二十五日", but not "一日", a day, and "百二十日".
TO_NINE = "一二三四五六七八九"
GLYPH_DAY = re.compile(rf"(?<![{NUMERALS}\d])(?!一日)([{TO_NINE}]?)(十?)([{TO_NINE}]?)(?=[月日号號])")
LONGEST = 500
SPACES, LINE_BREAKS = re.compile(r"\s+"), re.compile("[\r\n\u2028\u2029]+")
VARIANTS = re.compile("[\ufe00-\ufe0f]")  # what selects the picture of a letter
# The mark of a quoted line, and a line that is a sentence without its stop.
QUOTATION = re.compile(r"^\s*(?:>\s*)+(?=[^\W\d])")
HEADLINE = re.compile(rf"(?:.{{25}}|[{GLYPH}]{{12}}).*[\w\"”»)%]$")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or mark: its kind for the grammar, its folded text and, for some kinds, a value.

    `is_glued` means that no space precedes it. The kind of an unknown word is `word`.
    """

    kind: str
    text: str
    value: str | float | None = None
    is_glued: bool = False

    @property
    def quantity(self) -> float:
        """The value as a number, for tokens that have one: 12 for December, 1000 for "thousand"."""
        if self.value is None:
            raise ValueError(f"a token of the kind {self.kind} has no value here")
        return float(self.value)


def first_kind(tokens: Iterable[Token], fillers: Collection[str] = ()) -> str:
    """The kind of the first token that is no filler; "" without one."""
    return next((token.kind for token in tokens if token.kind not in fillers), "")


def read(text: str, likely: Language | None = None) -> tuple[Language, list[Token]]:
    """The language of a clean text, `likely` where it may be several, and its tokens.

    Raises InvalidQuestion for too many of them or of numbers.
    """
    plain = MULTIPLE.sub(r"\1x", ABBREVIATIONS.sub(_closed, MARKUP.sub(" ", fold(text))))
    plain = YEARS.sub("yr", GLYPH_DAY.sub(_in_digits, plain))
    language = guess_language(plain, WORDS.findall(plain), likely, text.casefold())
    tokens = tokenize(plain, lexicon(language))
    if sum(token.kind in NUMBERS for token in tokens) > MOST_NUMBERS:
        raise invalid(f"The text has more than {MOST_NUMBERS} numbers and dates. For example: {EXAMPLE}")
    return language, tokens


def tokenize(plain: str, words: Lexicon) -> list[Token]:
    """The tokens of a folded text, each with its kind in a lexicon; InvalidQuestion for too many of them.

    A phrase can be several: 金銀比価 is gold, versus, silver.
    """
    raw = list(islice(_cut(plain, words), MOST_TOKENS + 1))
    tokens = list(_translated(raw, words))
    if max(len(raw), len(tokens)) > MOST_TOKENS:
        raise invalid(f"The text contains more than {MOST_TOKENS} words and marks. For example: {EXAMPLE}")
    return tokens


def _closed(abbreviation: re.Match[str]) -> str:
    if abbreviation[0].startswith("+"):
        return "±"
    return f"{abbreviation[1]}m" if abbreviation[1] else "us"


def _in_digits(numerals: re.Match[str]) -> str:
    """Example: "25" for "二十五"; two digits without a ten between them stay as they are."""
    tens, ten, ones = numerals.groups()
    if not ten:
        return str(1 + TO_NINE.index(tens or ones)) if bool(tens) != bool(ones) else numerals[0]
    return str(10 * (1 + TO_NINE.index(tens) if tens else 1) + (1 + TO_NINE.index(ones) if ones else 0))


def _cut(plain: str, words: Lexicon) -> Iterator[Token]:
    end = 0
    for match in TOKEN.finditer(plain):
        is_glued = match.start() == end > 0
        end = match.end()
        kind = match.lastgroup or ""  # every alternative of the pattern is named
        if kind == "glyphs":
            for place, entry in enumerate(words.glyphs.findall(match[0])):
                is_numeral = entry[0] in NUMERALS and entry not in words.phrases
                yield Token("numeral" if is_numeral else "word", entry, is_glued=is_glued or place > 0)
        else:
            text = match[kind]
            if kind == "number":
                text = f"0{text}" if text.startswith(".") else text
                text = text[:LONGEST_NUMBER].rstrip("e.,'_")
            yield Token(kind, text, is_glued=is_glued)


def _translated(raw: list[Token], words: Lexicon) -> Iterator[Token]:
    place = 0
    while place < len(raw):
        token = raw[place]
        size, senses = _longest_phrase(raw, place, words)
        if size:
            yield from _with_senses(token, senses, " ".join(part.text for part in raw[place : place + size]))
            place += size
            continue
        if not (token.text in HYPHENS and _joins(raw, place)) or _is_span_of_days(raw, place, words):
            yield from _single(token, words)
        place += 1


def _longest_phrase(raw: list[Token], place: int, words: Lexicon) -> tuple[int, Senses]:
    """The number of tokens in the longest phrase of the vocabulary that begins here (0 if none), and its senses."""
    limit = words.longest.get(raw[place].text, 0)
    best: tuple[int, Senses] = (0, ())
    texts: list[str] = []
    for end in range(place, len(raw)):
        if end > place and _joins(raw, end):
            continue
        texts.append(raw[end].text)
        if len(texts) > limit:
            break
        senses = words.phrases.get(" ".join(texts))
        if senses:
            best = end - place + 1, senses
    return best


def _joins(raw: list[Token], place: int) -> bool:
    """Whether a hyphen or slash joins two words: "all-time", "BTC/USD"."""
    if raw[place].text not in (*HYPHENS, "/") or not raw[place].is_glued or place + 1 >= len(raw):
        return False
    if raw[place - 1].is_glued and raw[place - 2].kind == "number" and raw[place + 1].kind == "number":
        return False  # "90k-100k" is a range
    return raw[place + 1].is_glued and raw[place + 1].kind in ("word", "number") and raw[place - 1].kind == "word"


def _is_span_of_days(raw: list[Token], place: int, words: Lexicon) -> bool:
    """Example: "Mon-Thu", "lundi-mercredi": the hyphen between two weekdays, which are two dates."""
    ends = [words.find(token.text) for token in (raw[place - 1], raw[place + 1])]
    return all(senses is not None and senses[0].kind == "weekday" for senses in ends)


def _single(token: Token, words: Lexicon) -> Iterator[Token]:
    if token.kind != "word":
        yield token
        return
    senses = words.find(token.text)
    if senses:
        yield from _with_senses(token, senses, token.text)
    elif parts := words.number_parts(token.text):
        yield from (Token(sense.kind, token.text, sense.value, token.is_glued or place > 0) for place, sense in parts)
    elif re.search("['&]", token.text):
        for place, part in enumerate(re.split("['&]", token.text)):
            yield from _single(Token("word", part, is_glued=token.is_glued or place > 0), words)
    else:
        correction = words.typos.mend(token.text)
        yield from _with_senses(
            token, words.phrases[correction] if correction else (Sense("word"),), correction or token.text
        )


def _with_senses(token: Token, senses: Senses, text: str) -> Iterator[Token]:
    for sense in senses:
        yield replace(token, kind=sense.kind, value=sense.value, text=text)


def clean(text: str) -> str:
    """`text` in NFKC on one line, without bidirectional, zero-width and other invisible marks.

    A long line, such as a headline before the question, becomes a sentence; a short one goes on in the next.

    Raises InvalidRequest for more than 500 characters (before or after NFKC), for control characters other than line
    breaks and tabs, and for lone surrogates.
    """
    _refuse_long(text)
    lines = [QUOTATION.sub("", line).strip() for line in LINE_BREAKS.split(text) if not line.isspace()]
    sentences = [f"{line}. " if HEADLINE.search(line) else f"{line} " for line in lines[:-1]]
    line = SPACES.sub(" ", "".join([*sentences, *lines[-1:]]))
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in line):
        raise _invalid("The question contains control characters or broken Unicode. Send plain text.")
    visible = [letter for letter in VARIANTS.sub("", line) if unicodedata.category(letter) != "Cf"]
    normal = unicodedata.normalize("NFKC", "".join(visible))
    _refuse_long(normal)
    return SPACES.sub(" ", normal).strip()


def _refuse_long(text: str) -> None:
    if len(text) > LONGEST:
        raise _invalid(f"The question is longer than {LONGEST} characters. Ask in one or two short sentences.")


def _invalid(detail: str) -> InvalidRequest:
    return InvalidRequest(detail, [FieldError("question", detail)])
