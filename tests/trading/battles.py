"""The document of the Bot Battle for given states of the lanes."""

from __future__ import annotations

from service.market.headers import header
from service.trading.battle import BattleDocument, RateLimit, describe


def battle_of(states, held=None) -> BattleDocument:
    """The document computed seven seconds after the last bar, with bars of five minutes; holding won 10% everywhere."""
    as_of = max(state.as_of for state in states.values())
    return describe(
        states,
        held or dict.fromkeys(states, 11_000.0),
        header(as_of + 7, as_of, step=300, world="simulated", sources={"bars": "a file", "pools": "assumed"}),
        RateLimit(limit=120, window_s=60, scope="address"),
    )
