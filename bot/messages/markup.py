"""The parts of a message: values escaped and shortened, tables, and blocks that fit into Telegram's limits.

A message is a list of blocks. The tags of a block are all closed in it, so that leaving a block out never breaks the
message. Lengths are measured on the text that is sent, with tags and entities, in UTF-16 code units: Telegram counts
the same units without the tags, so its count is never higher.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from itertools import accumulate

from bot.languages import english, translate

LIMIT = 4096
CAPTION = 1024

WIDTH = 34  # characters of a table row that fit on a phone without a line break
MAX_ROWS = 16  # of a table: the message has room for it even if every character is escaped
REST = english("… and {n} more.")
RESERVE = 60  # units for it in any language
WIDE_CLASSES = {"W", "F"}  # characters that take two columns of a monospaced font

CONTROLS = {"Cc", "Cs"}  # control characters and unpaired surrogates, which do not belong in a value
# Marks that change the direction of the text after them, and could make one text look like another.
DIRECTION_MARKS = {*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}


def length(text: str) -> int:
    """The length of a text in UTF-16 code units."""
    return len(text) + sum(character > "\uffff" for character in text)


def plain(value: object) -> str:
    """A value as one line of printable characters, not escaped."""
    characters = (character for character in str(value) if character not in DIRECTION_MARKS)
    parts = (" " if unicodedata.category(character) in CONTROLS else character for character in characters)
    return " ".join("".join(parts).split())


def escaped(value: object, limit: int = 300) -> str:
    """A value escaped for HTML and shortened to at most `limit` UTF-16 units, with an ellipsis if it was cut."""
    text = plain(value)
    if length(escape(text)) <= limit:
        return escape(text)
    parts, room = [], limit - 1
    for character in map(escape, text):
        room -= length(character)
        if room < 0:
            break
        parts.append(character)
    return "".join(parts).rstrip() + "…"


def columns_of(text: str) -> int:
    """The width of a text in columns of a monospaced font; a Chinese or Japanese character takes two."""
    return len(text) + sum(unicodedata.east_asian_width(character) in WIDE_CLASSES for character in text)


def shortened(value: object, width: int) -> str:
    """A value in at most `width` columns, not escaped; the middle of a longer value is left out."""
    text = plain(value)
    if columns_of(text) <= width:
        return text
    end = max(width // 3, 2) if width > 4 else 0
    head, tail = text[: width - end - 1], text[len(text) - end :]
    while columns_of(head) > width - end - 1:
        head = head[:-1]
    while columns_of(tail) > end:
        tail = tail[1:]
    return f"{head}…{tail}"


def table(rows: Iterable[Sequence[object]], *columns: str) -> str:
    """Rows in a monospaced font; a column is its alignment and width in characters, such as "<10" or ">7"."""
    entries = list(rows)
    lines = [_row(row, columns) for row in entries[:MAX_ROWS]]
    if len(entries) > MAX_ROWS:
        lines.append(translate(REST, n=len(entries) - MAX_ROWS))
    return f"<pre>{escape(chr(10).join(lines))}</pre>"


def _row(row: Sequence[object], columns: Sequence[str]) -> str:
    return " ".join(_cell(value, column) for value, column in zip(row, columns, strict=True)).rstrip()


def _cell(value: object, column: str) -> str:
    """A value filled up to the width of its column; where a language puts a space before a percent sign, it is left."""
    width = int(column[1:])
    text = shortened(str(value).replace("\u00a0%", "%").replace("\u202f%", "%"), width)
    blanks = " " * (width - columns_of(text))
    return text + blanks if column[0] == "<" else blanks + text


def message(blocks: Iterable[str], tail: str = "", *, limit: int = LIMIT) -> str:
    """The non-empty blocks, one below the other, as many as fit above `tail`; the rest is counted in a line."""
    lines = [block for block in blocks if block]
    room = limit - length(tail) - 1
    if sum(length(block) + 1 for block in lines) > room:
        ends = list(accumulate(length(block) + 1 for block in lines))
        count = sum(units + RESERVE <= room for units in ends)
        lines[count:] = [translate(REST, n=len(lines) - count)]
    return "\n".join([*lines, tail] if tail else lines)


def pages(blocks: Sequence[str], page_size: int, head: str, tail: str = "") -> list[str]:
    """At least one message of up to `page_size` blocks, each below `head` with its page number and above `tail`."""
    parts = [blocks[start : start + page_size] for start in range(0, len(blocks), page_size)] or [[]]
    if len(parts) == 1:
        return [message([head, *parts[0]], tail)]
    numbered = enumerate(parts, 1)
    return [
        message([f"{head} · {translate('page {page} of {pages}', page=number, pages=len(parts))}", *part], tail)
        for number, part in numbered
    ]
