"""The parts of a message: values escaped and shortened, tables, and blocks that fit into Telegram's limits.

A message is a list of blocks. The tags of a block are all closed in it, so that leaving a block out never breaks the
message. Lengths are measured on the text that is sent, with tags and entities, in UTF-16 code units: Telegram counts
the same units without the tags, so its count is never higher.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from html import escape

LIMIT = 4096
CAPTION = 1024

WIDTH = 34  # characters of a table row that fit on a phone without a line break
MAX_ROWS = 16  # of a table: the message has room for it even if every character is escaped
MORE = "… and {:,} more."
RESERVE = len(MORE) + 8

CONTROLS = {"Cc", "Cs"}  # control characters and unpaired surrogates, which do not belong in a value
# Marks that change the direction of the text after them, and could make one text look like another.
DIRECTION_MARKS = {*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}


def length(text: str) -> int:
    """The length of a text in UTF-16 code units."""
    return len(text) + sum(character > "\uffff" for character in text)


def plain(value: object) -> str:
    """A value as one line of printable characters, not escaped."""
    characters = (character for character in str(value) if character not in DIRECTION_MARKS)
    printable = (" " if unicodedata.category(character) in CONTROLS else character for character in characters)
    return " ".join("".join(printable).split())


def escaped(value: object, limit: int = 300) -> str:
    """A value escaped for HTML and shortened to at most `limit` UTF-16 units, with an ellipsis if it was cut."""
    text = plain(value)
    if length(escape(text)) <= limit:
        return escape(text)
    kept, room = [], limit - 1
    for character in map(escape, text):
        room -= length(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def shortened(value: object, width: int) -> str:
    """A value in at most `width` characters, not escaped; the middle of a longer value is left out."""
    text = plain(value)
    if len(text) <= width:
        return text
    end = width // 3
    return text[: width - end - 1] + "…" + text[len(text) - end :]


def table(rows: Iterable[Sequence[object]], *columns: str) -> str:
    """Rows in a monospaced font; a column is its alignment and width in characters, such as "<10" or ">7"."""
    listed = list(rows)
    lines = [_row(row, columns) for row in listed[:MAX_ROWS]]
    if len(listed) > MAX_ROWS:
        lines.append(MORE.format(len(listed) - MAX_ROWS))
    return f"<pre>{escape(chr(10).join(lines))}</pre>"


def _row(row: Sequence[object], columns: Sequence[str]) -> str:
    cells = (f"{shortened(cell, int(column[1:])):{column}}" for cell, column in zip(row, columns, strict=True))
    return " ".join(cells).rstrip()


def message(blocks: Iterable[str], tail: str = "", *, limit: int = LIMIT) -> str:
    """The non-empty blocks, one below the other, as many as fit above `tail`; the rest is counted in a line."""
    lines = [block for block in blocks if block]
    room = limit - length(tail) - 1
    used = 0
    for index, block in enumerate(lines):
        used += length(block) + 1
        reserve = RESERVE if index < len(lines) - 1 else 0
        if used + reserve > room:
            lines[index:] = [MORE.format(len(lines) - index)]
            break
    return "\n".join([*lines, tail] if tail else lines)


def pages(blocks: Sequence[str], page_size: int, head: str, tail: str = "") -> list[str]:
    """At least one message of up to `page_size` blocks, each below `head` with its page number and above `tail`."""
    parts = [blocks[start : start + page_size] for start in range(0, len(blocks), page_size)] or [[]]
    if len(parts) == 1:
        return [message([head, *parts[0]], tail)]
    numbered = enumerate(parts, 1)
    return [message([f"{head} · {number} of {len(parts)}", *part], tail) for number, part in numbered]
