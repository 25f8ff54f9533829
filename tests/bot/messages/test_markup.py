"""Values as text: numbers, times and names escaped, shortened and aligned, and blocks that fit a message."""

from __future__ import annotations

from datetime import UTC, datetime
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.languages import speaking
from bot.messages import formats
from bot.messages.markup import LIMIT, REST, columns_of, escaped, message, pages, plain, shortened, table

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=80)


def units(text: str) -> int:
    """The length in UTF-16 units, the most that Telegram counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@given(ANY_TEXT, st.integers(8, 60))
@example("😀" * 40, 30)
@example("&" * 40, 12)
def test_a_value_is_escaped_and_within_its_limit(text, limit):
    """It is cut between characters, never inside an entity."""
    result = escaped(text, limit)
    assert units(result) <= limit
    assert not set("<>\"'") & set(result)
    line = plain(text)
    assert unescape(result) == line or line.startswith(unescape(result[:-1]).rstrip())


@pytest.mark.parametrize("hidden", ["\n", "\x00", "\u202e", "\u2066", "\ud83d"])
def test_a_value_is_one_line_of_printable_characters(hidden):
    """Line breaks, NUL, unpaired surrogates and direction marks are removed."""
    assert hidden not in escaped(f"buy{hidden}sell")
    assert escaped(f"buy{hidden}sell").replace(" ", "") == "buysell"


@given(ANY_TEXT, st.integers(5, 40))
@example("市" * 9, 5)
def test_a_shortened_value_keeps_its_ends(text, width):
    result = shortened(text, width)
    assert columns_of(result) <= width
    if columns_of(plain(text)) > width:
        assert result[0] == plain(text)[0]
        assert result[-1] == plain(text)[-1]


def test_a_table_aligns_wide_characters_too():
    """Chinese and Japanese words take two columns, a percent sign needs no space; rows left out are counted."""
    result = table([("正解", 5), ("比特币比特币", 10)], "<6", ">3")
    assert unescape(result) == "<pre>正解     5\n比…币   10</pre>"
    assert table([("12,3\u00a0%",)], ">6") == "<pre> 12,3%</pre>"
    result = table([("<a>", 5)] * 20, "<4", ">3")
    assert result.startswith("<pre>&lt;a&gt;    5\n")
    assert result.endswith("… and 4 more.</pre>")


@given(st.lists(st.integers(0, 2000), max_size=12), st.integers(0, 500))
@example([1350, 1350, 1393], 0)
@example([1350, 1350, 1394], 0)
@example([2040, 2053, 1], 0)
@example([2040, 2054, 1], 0)
@example([1, 1, 1, 1564, 2000, 1], 500)
def test_a_message_holds_as_many_blocks_as_fit(sizes, tail):
    """The other blocks are counted, and the tail is always shown."""
    blocks = [f"{place:x}" * size for place, size in enumerate(sizes)]
    result = message(blocks, "T" * tail)
    assert units(result) <= LIMIT
    assert result.endswith("T" * tail)
    lines = [block for block in blocks if block]
    if units("\n".join([*lines, "T" * tail])) < LIMIT:
        assert all(block in result for block in lines)
    else:
        count = sum(line in lines for line in result.split("\n"))
        assert count == len(lines) or REST.format(n=len(lines) - count) in result


def test_only_several_pages_are_numbered():
    assert pages(["a"], 2, "head") == ["head\na"]
    assert pages([], 2, "head", "tail") == ["head\ntail"]
    assert pages(["a", "b", "c"], 2, "head") == ["head · page 1 of 2\na\nb", "head · page 2 of 2\nc"]


@pytest.mark.parametrize(
    ("write", "texts"),
    [
        (formats.signed_percent, {18.8693: "+18.9%", -0.01: "0.0%", 161.4: "+161%", None: "–"}),
        (formats.chance, {0.083: "8%", 0.004: "under 1%", 0.996: "over 99%", 1.0: "100%"}),
        (formats.price, {53211.85: "53,212", 108.559: "108.56", 0.45692: "0.4569", 0.000012345: "0.00001234"}),
        (lambda value: formats.decimal(value, 3), {-0.0004: "0.000"}),
        (lambda value: formats.signed_decimal(value, 2), {0.25: "+0.25"}),
        (formats.instant, dict.fromkeys(("2026-11-21T08:00:00Z", "2026-11-21T08:00:00.123Z"), "2026-11-21 08:00 UTC")),
        (formats.instant, {"<soon>": "&lt;soon&gt;", None: "–"}),
        (formats.direction_arrow, {"BULLISH": "▲", "BEARISH": "▼", "NEUTRAL": "■"}),
        (lambda value: formats.world({"world": value}), {"replay": "REPLAY of past prices", "<moon>": "&lt;moon&gt;"}),
    ],
)
def test_values_are_formatted_for_people(write, texts):
    assert {value: write(value) for value in texts} == texts


def test_a_document_is_stale_after_its_instant():
    document, instants = {"world": "live", "stale_after": "2026-11-21T08:15:00Z"}, [None]
    instants += [datetime(2026, 11, 21, 8, minute, tzinfo=UTC) for minute in (15, 16)]
    assert [formats.is_stale(document, instant) for instant in instants] == [False, False, True]


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("de", ("12,3\u00a0%", "-3,2\u00a0%", "+1.234\u00a0%", "0,4569", "21.11.2026 08:00 UTC", "über 99\u00a0%")),
        ("tr", ("%12,3", "-%3,2", "+%1.234", "0,4569", "21 Kas 2026 08:00 UTC", "%99 üstü")),
        ("ja", ("12.3%", "-3.2%", "+1,234%", "0.4569", "2026/11/21 08:00 UTC", "99%超")),
    ],
)
def test_numbers_and_dates_follow_the_language(language, texts):
    with speaking(language):
        percentages = (formats.percent(12.34), formats.signed_percent(-3.2), formats.signed_percent(1234.4))
        others = (formats.price(0.45692), formats.instant("2026-11-21T08:00:00Z"), formats.chance(0.996))
    assert percentages + others == texts
