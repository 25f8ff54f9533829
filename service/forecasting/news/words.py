"""Words of a title that carry meaning."""

from __future__ import annotations

import re

WORD = re.compile(r"[^\W_]+(?:[.'’&-][^\W_]+)*")
_STOP_WORDS = """
    a about above after again against ago ahead all also am amid an and any are around as at back be because been
    before behind being below between both but by can could day days did do does down during each early few first five
    for four from further get gets had has have he her here his hour hours how i if in into is it its just last late
    latest less like may me might month months more most much my near new news next no nor not now of off on once one
    only or other our out over own past per s said same says see set she should since six so some still such t than that
    the their them then there these they this those three through time to today two under until up update us very via
    was week weekly weeks were what when where which while who why will with within would year years yet you your daily
    hourly monthly yesterday tomorrow tonight seven eight nine ten times coin coins price prices trade trades trading
    market markets crypto usual average second third fourth fifth sixth seventh sigmas
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def content(text: str) -> list[str]:
    """The words of a text in small letters, in their order, without stop words.

    >>> content("Bitcoin's ETF inflows, and the U.S.")
    ["bitcoin's", 'etf', 'inflows', 'u.s']
    """
    return [word for word in WORD.findall(text.lower().replace("’", "'")) if word not in STOP_WORDS]
