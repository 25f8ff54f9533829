"""How a message is put together: every value escaped and bounded, every block of lines whole.

A message is made of blocks, each with all its tags closed, so that leaving one out never breaks the rest. Lengths are
those of the text that is sent, tags and entities included, in UTF-16 units: Telegram counts less, never more.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from html import escape

LIMIT = 4096
CAPTION = 1024

WIDTH = 34  # characters of a row that a phone shows without breaking it
MOST_ROWS = 16  # of a table: with every character escaped it still leaves room for the rest
MORE = "… and {} more."
RESERVE = len(MORE) + 8

CONTROLS = {"Cc", "Cs"}  # line breaks and halves of a character: neither belongs in a value
# Marks that turn the direction of what follows, and so could show one text as another.
TURNING = {*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}


def length(text: str) -> int:
    """How long a text is in UTF-16 units."""
    return len(text) + sum(character > "\uffff" for character in text)


def plain(value: object) -> str:
    """A value as one line of readable characters, not escaped."""
    shown = (" " if unicodedata.category(one) in CONTROLS else one for one in str(value) if one not in TURNING)
    return " ".join("".join(shown).split())


def said(value: object, most: int = 300) -> str:
    """A value escaped, at most `most` units long after that; one that is longer ends in an ellipsis."""
    text = plain(value)
    if length(escape(text)) <= most:
        return escape(text)
    kept, room = [], most - 1
    for piece in map(escape, text):
        room -= length(piece)
        if room < 0:
            break
        kept.append(piece)
    return "".join(kept).rstrip() + "…"


def cut(value: object, width: int) -> str:
    """A value in at most `width` characters, not escaped; of a longer one the middle is left out."""
    text = plain(value)
    if len(text) <= width:
        return text
    end = width // 3
    return text[: width - end - 1] + "…" + text[len(text) - end :]


def table(rows: Iterable[Sequence[object]], *columns: str) -> str:
    """Rows in a typeface of one width; a column is an alignment and a width in characters, as "<10" or ">7"."""
    listed = list(rows)
    lines = [_row(row, columns) for row in listed[:MOST_ROWS]]
    if len(listed) > MOST_ROWS:
        lines.append(MORE.format(len(listed) - MOST_ROWS))
    return f"<pre>{escape(chr(10).join(lines))}</pre>"


def _row(row: Sequence[object], columns: Sequence[str]) -> str:
    cells = (f"{cut(cell, int(column[1:])):{column}}" for cell, column in zip(row, columns, strict=True))
    return " ".join(cells).rstrip()


def message(blocks: Iterable[str], tail: str = "", *, limit: int = LIMIT) -> str:
    """The blocks that are not empty, one under the other, as many as fit above `tail`; says how many do not."""
    told = [block for block in blocks if block]
    room = limit - length(tail) - 1
    used = 0
    for place, block in enumerate(told):
        used += length(block) + 1
        kept_back = RESERVE if place < len(told) - 1 else 0
        if used + kept_back > room:
            told[place:] = [MORE.format(len(told) - place)]
            break
    return "\n".join([*told, tail] if tail else told)


def pages(blocks: Sequence[str], each: int, head: str, tail: str = "") -> list[str]:
    """Messages of `each` blocks, between a head with its page's number and the same tail; at least one."""
    parts = [blocks[start : start + each] for start in range(0, len(blocks), each)] or [[]]
    if len(parts) == 1:
        return [message([head, *parts[0]], tail)]
    numbered = enumerate(parts, 1)
    return [message([f"{head} · {number} of {len(parts)}", *part], tail) for number, part in numbered]
