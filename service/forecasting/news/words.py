"""Words of a title that carry meaning."""

from __future__ import annotations

import re

from service.forecasting.news.lexicon import STOP_WORDS

WORD = re.compile(r"[^\W_]+(?:[.'’&-][^\W_]+)*")


def content(text: str) -> list[str]:
    """The words of a text in lower case, in their order, without stop words.

    >>> content("Bitcoin's ETF inflows, and the U.S.")
    ["bitcoin's", 'etf', 'inflows', 'u.s']
    """
    return [word for word in WORD.findall(text.lower().replace("’", "'")) if word not in STOP_WORDS]
