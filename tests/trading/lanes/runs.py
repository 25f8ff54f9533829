"""What the tests of lanes share: all lanes run over all bars, and single moments made by hand."""

from __future__ import annotations

import json

from service.market.bars import Bar, Bars
from service.market.instants import HOUR
from service.trading.lanes import LANES, Moment, begin, dump, load, moments, step
from service.trading.pools import ASSUMED_POOLS

STEP = 300
CEX = [name for name, lane in LANES.items() if lane.venue == "cex"]
DEX = [name for name, lane in LANES.items() if lane.venue == "dex"]


def text(state) -> str:
    return json.dumps(dump(state), sort_keys=True, allow_nan=False)


def through_json(lane, state):
    return load(lane, json.loads(text(state)))


def votes_of(hours: dict[str, Bars]) -> dict[int, dict[str, float]]:
    """Votes that change their mind every few days, and on some hours nobody's."""
    ends = [int(time) + HOUR for time in hours["btc"].time]
    return {
        end: {"btc": 0.5 + 0.1 * ((number // 50) % 3 - 1), "eth": 0.5 + 0.08 * ((number // 80) % 3 - 1)}
        for number, end in enumerate(ends)
        if number % 500
    }


class Run:
    """All lanes over all bars: the moments and, by lane, the state after each."""

    def __init__(self, hours, marks):
        self.hours, self.marks, self.votes = hours, marks, votes_of(hours)
        self.start = min(int(bars.time[0]) for bars in marks.values())
        self.moments = list(moments(hours, marks, self.start, votes=self.votes, pools=ASSUMED_POOLS))
        self.states = {name: self._states(lane) for name, lane in LANES.items()}

    def _states(self, lane):
        state, states = begin(lane, self.start), []
        for moment in self.moments:
            state = step(lane, state, moment)
            states.append(state)
        return states

    def events(self, name):
        return [event for state in self.states[name] for event in state.events]


def shown(time, bars, *, hours=None, votes=None, pools=None) -> Moment:
    return Moment(time + STEP, STEP, bars, hours or {}, votes or {}, pools or {})


def flat(time, price, high=None, low=None) -> Bar:
    return Bar(time, price, high or price, low or price, price, 1.0)
