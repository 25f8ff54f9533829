"""How many tokens a text is, whichever model reads it: an estimate from above."""

from __future__ import annotations

import re
from math import ceil

BYTES_PER_TOKEN = 3.5  # of English; four and more in long texts
# No known tokenizer joins more than these: a word, up to three digits, a run of signs.
_PIECE = re.compile(r"\d{1,3}|[^\W\d_]+|[^\w\s]+|_+|\n")


def tokens(text: str) -> int:
    """Of each line the larger of two counts: its bytes, and the pieces that tokenizers split before all else.

    A row of numbers has twice as many pieces as its bytes would say: "+0.4" is four.
    """
    lines = text.splitlines(keepends=True)
    return sum(max(len(_PIECE.findall(line)), ceil(len(line.encode()) / BYTES_PER_TOKEN)) for line in lines)
