"""Helpers of the lane tests: all lanes over all bars, and single moments."""

from __future__ import annotations

import json
from dataclasses import asdict

from service.market.bars import Bar, Bars
from service.market.instants import HOUR
from service.trading.lanes import LANES
from service.trading.lanes.lane import LaneVote, Moment, moments
from service.trading.pools import ASSUMED_POOLS

STEP = 300
CEX = [name for name, lane in LANES.items() if lane.venue == "cex"]
DEX = [name for name, lane in LANES.items() if lane.venue == "dex"]


def text(state) -> str:
    return json.dumps(asdict(state), sort_keys=True, allow_nan=False)


def through_json(lane, state):
    return lane.load(json.loads(text(state)))


def votes_of(hours: dict[str, Bars]) -> dict[int, dict[str, LaneVote]]:
    """Votes that change every few days, with some hours without a vote."""
    ends = [int(time) + HOUR for time in hours["btc"].time]
    return {
        end: {
            "btc": LaneVote(0.8, 0.5 + 0.2 * ((number // 50) % 3 - 1)),
            "eth": LaneVote(0.5 + 0.3 * ((number // 80) % 3), 0.5),
        }
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
        state, states = lane.begin(self.start), []
        for moment in self.moments:
            state = lane.step(state, moment)
            states.append(state)
        return states

    def events(self, name):
        return [event for state in self.states[name] for event in state.events]


def shown(time, bars, *, hours=None, votes=None, pools=None) -> Moment:
    return Moment(time + STEP, STEP, bars, hours or {}, votes or {}, pools or {})


def flat(time, price) -> Bar:
    return Bar(time, price, price, price, price, 1.0)


def still(time, *, hours=None, pools=None, **prices) -> Moment:
    """A moment of flat bars at these prices, by asset."""
    return shown(time, {asset: flat(time, price) for asset, price in prices.items()}, hours=hours, pools=pools)


def providing(ether=2000.0, pools=ASSUMED_POOLS, name="lp_wide", reading=None):
    """A liquidity lane that has just entered the pool of ether at the price `ether`, with constant prices."""
    lane = LANES[name]
    state = lane.step(lane.begin(HOUR - STEP), still(HOUR - STEP, eth=ether, hours={"eth": reading}, pools=pools))
    return lane, lane.step(state, still(HOUR, eth=ether, pools=pools))
