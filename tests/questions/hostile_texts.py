"""Texts that try to make reading a question slow or to make it fail; the same seed gives the same texts."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

from service.errors import InvalidRequest
from service.questions.circumstances import Circumstances
from service.questions.lexicon import lexicon
from service.questions.tokens import LONGEST
from service.questions.topics import read_any
from service.questions.vocabulary import LANGUAGES
from tests.cpu import least_cpu_s
from tests.questions.asking import NOW, SPOTS

CIRCUMSTANCES = Circumstances(NOW, SPOTS)
LONGEST_MS = 5.0  # of CPU for a text on a quiet machine
NUMBERS = [
    *("100k", "95-100k", "100.000", "10%", "2026", "31.12", "12/31", "2027-02-29"),
    "9999-12-31",
    "0001-01-01T00:00:00+14:00",
    "0001-01-01",
    "5",
    "0th",
    "0日",
    "1十",
    "9" * 40,
]
PHRASES = sorted(phrase for language in LANGUAGES for phrase in lexicon(language).phrases)
DIGITS = "0123456789十百万千億.,-%$k/: '+abdmx"
# The first and the last character of a range of each script.
SCRIPTS = [" ~", "¡ɏ", "Ѐӿ", "؀ۿ", "ऀॿ", "぀ヿ", "一仿", "가곿", "😀🙏"]
TRIES = 5  # the least of so many measurements is a text's time


def hostile_texts(count: int, seed: int) -> Iterator[str]:
    """Phrases repeated, phrases and numbers mixed, a few letters of many scripts repeated, digits and marks."""
    generator = random.Random(seed)
    for _ in range(count):
        maker = generator.choice([_repeated, _mixed, _letters, _digits])
        yield maker(generator)[: generator.choice([LONGEST, LONGEST, 200, 60])]


def _word(generator: random.Random) -> str:
    return generator.choice(NUMBERS if generator.random() < 0.3 else PHRASES)


def _repeated(generator: random.Random) -> str:
    unit = " ".join(_word(generator) for _ in range(generator.randint(1, 5)))
    return generator.choice(["btc ", ""]) + (unit + generator.choice([" ", "", ", "])) * LONGEST


def _mixed(generator: random.Random) -> str:
    return generator.choice(["btc ", "will eth ", ""]) + " ".join(_word(generator) for _ in range(100))


def _letters(generator: random.Random) -> str:
    scripts = [generator.choice(SCRIPTS) for _ in range(generator.randint(1, 6))]
    letters = [chr(generator.randint(ord(first), ord(last))) for first, last in scripts]
    return "btc " + "".join(generator.choices(letters, k=LONGEST))


def _digits(generator: random.Random) -> str:
    return "will btc " + "".join(generator.choices(DIGITS, k=LONGEST))


def read_ms(text: str) -> float:
    """Milliseconds of CPU to read a text as the oracle does; anything but a question or a refusal is raised."""
    began = time.process_time()
    with suppress(InvalidRequest):
        read_any(text, CIRCUMSTANCES)
    return 1000 * (time.process_time() - began)


def slow_texts(count: int, seed: int, longest_ms: float = LONGEST_MS) -> list[tuple[float, str]]:
    """The texts that take too long at each of several tries, with their times, the slowest first."""
    suspects = [text for text in hostile_texts(count, seed) if read_ms(text) > longest_ms]
    least = [(1000 * least_cpu_s(partial(read_ms, text), TRIES), text) for text in suspects]
    return sorted((pair for pair in least if pair[0] > longest_ms), reverse=True)
