"""The parts of a message: values escaped and bounded, blocks whole, and numbers as a person reads them."""

from __future__ import annotations

from datetime import UTC, datetime
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.messages import figures
from bot.messages.writing import LIMIT, MORE, cut, message, pages, plain, said, table

ANY = st.text(st.characters(exclude_categories=[]), max_size=80)


def units(text: str) -> int:
    """What Telegram counts, at most."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@given(ANY, st.integers(8, 60))
@example("😀" * 40, 30)
@example("&" * 40, 12)
def test_a_value_is_escaped_and_within_its_room(text, most):
    """Cut between characters, never within an entity."""
    shown = said(text, most)
    assert units(shown) <= most
    assert not set("<>\"'") & set(shown)
    whole = plain(text)
    assert unescape(shown) == whole or whole.startswith(unescape(shown[:-1]).rstrip())


@pytest.mark.parametrize("hidden", ["\n", "\x00", "\u202e", "\u2066", "\ud83d"])
def test_a_value_is_one_line_of_readable_characters(hidden):
    """Line breaks, zeros, halves of characters and marks that turn the direction do not reach a chat."""
    assert hidden not in said(f"buy{hidden}sell")
    assert said(f"buy{hidden}sell").replace(" ", "") == "buysell"


@given(ANY, st.integers(4, 40))
def test_a_value_in_a_table_keeps_its_ends(text, width):
    shown = cut(text, width)
    assert len(shown) <= width
    if len(plain(text)) > width:
        assert shown[0] == plain(text)[0]
        assert shown[-1] == plain(text)[-1]


def test_a_table_lines_up_and_says_what_it_leaves_out():
    shown = table([("<a>", 5)] * 20, "<4", ">3")
    assert shown.startswith("<pre>&lt;a&gt;    5\n")
    assert shown.endswith("… and 4 more.</pre>")


@given(st.lists(st.integers(0, 2000), max_size=12), st.integers(0, 500))
@example([1350, 1350, 1393], 0)
@example([1350, 1350, 1394], 0)
@example([2040, 2053, 1], 0)
@example([2040, 2054, 1], 0)
def test_a_message_holds_as_many_blocks_as_fit(sizes, tail):
    """What does not fit is counted, and the tail is always there."""
    blocks = [f"{place:x}" * size for place, size in enumerate(sizes)]
    shown = message(blocks, "T" * tail)
    assert units(shown) <= LIMIT
    assert shown.endswith("T" * tail)
    wanted = [block for block in blocks if block]
    if units("\n".join([*wanted, "T" * tail])) < LIMIT:
        assert all(block in shown for block in wanted)
    else:
        kept = sum(line in wanted for line in shown.split("\n"))
        assert kept == len(wanted) or MORE.format(len(wanted) - kept) in shown


def test_pages_are_numbered_only_where_there_are_several():
    assert pages(["a"], 2, "head") == ["head\na"]
    assert pages([], 2, "head", "tail") == ["head\ntail"]
    assert pages(["a", "b", "c"], 2, "head") == ["head · 1 of 2\na\nb", "head · 2 of 2\nc"]


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (figures.change(18.8693), "+18.9%"),
        (figures.change(-0.01), "+0.0%"),
        (figures.change(161.4), "+161%"),
        (figures.change(None), "–"),
        (figures.chance(0.083), "8%"),
        (figures.chance(0.004), "under 1%"),
        (figures.chance(0.996), "over 99%"),
        (figures.chance(1.0), "100%"),
        (figures.usd(11886.93), "11,887 USD"),
        (figures.gain(-868.34), "-868 USD"),
        (figures.gain(-0.2), "+0 USD"),
        (figures.price(53211.85), "53,212"),
        (figures.price(108.559), "108.56"),
        (figures.price(0.45692), "0.4569"),
        (figures.counted(1, "trade"), "1 trade"),
        (figures.counted(2000, "trade"), "2,000 trades"),
        (figures.instant("2026-11-21T08:00:00Z"), "2026-11-21 08:00 UTC"),
        (figures.instant("2026-11-21T08:00:00.123Z"), "2026-11-21 08:00 UTC"),
        (figures.instant("<soon>"), "&lt;soon&gt;"),
        (figures.instant(None), "–"),
        (figures.arrow("BULLISH") + figures.arrow("BEARISH") + figures.arrow("NEUTRAL"), "▲▼■"),
        (figures.world({"world": "replay"}), "REPLAY of past prices"),
        (figures.world({"world": "<moon>"}), "&lt;moon&gt;"),
    ],
)
def test_a_number_is_written_as_a_person_reads_it(shown, expected):
    assert shown == expected


def test_a_document_is_stale_after_its_instant_and_not_at_it():
    told = {"world": "live", "stale_after": "2026-11-21T08:15:00Z"}
    assert not figures.stale(told, datetime(2026, 11, 21, 8, 15, tzinfo=UTC))
    assert figures.stale(told, datetime(2026, 11, 21, 8, 16, tzinfo=UTC))
    assert not figures.stale(told, None)
