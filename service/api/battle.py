"""The Bot Battle: how six lanes stand, as JSON and as a file, and how they got there."""

from __future__ import annotations

from typing import Literal

from flask import Blueprint, Response
from pydantic import Field

from service.api import examples
from service.api.encoding import document
from service.api.inputs import Begin, End, Query
from service.api.operations import operation
from service.api.services import services
from service.api.snapshots import latest
from service.errors import FieldError, InvalidRequest
from service.market.instants import DAY, iso, utc
from service.store import lanes as stored
from service.trading import battle_history
from service.trading.battle import Battle
from service.trading.battle_history import BattleHistory
from service.trading.lanes import LANES

battle = Blueprint("battle", __name__, url_prefix="/api/v1")

LaneName = Literal[*LANES]

MAX_AGE_S = 5
USUAL_S = 7 * DAY
# Bars that one answer reads, over all its lanes: 35 days of six lanes at five minutes.
MOST_BARS = 60_480
# Several times what a lane has been seen to do in any window of that length.
MOST_EVENTS = 2_000


class Export(Query):
    """Which lanes go into the file."""

    venue: Literal["all", "cex", "dex"] = Field("all", description="the lanes of one venue, or all of them")


class Window(Query):
    """Whose history is wanted, and from when to when."""

    lane: LaneName | None = Field(None, description="one lane; without it all six")
    since: Begin | None = Field(None, description="date or instant, ISO 8601; without it 7 days before the end")
    until: End | None = Field(None, description="date or instant, ISO 8601; without it now")


@battle.get("/bot-battle")
@operation(tag="Bot Battle", limit="telemetry", returns=Battle, cached=True, example=examples.BATTLE)
def lanes() -> Response:
    """Six lanes of paper trading: four on an exchange, two that provide liquidity.

    Made once per bar. `venues` tells what is held, and where the result of each liquidity lane comes from;
    `rate_limit` is the policy, the headers say what is left of it.
    """
    return document(latest("bot-battle"), max_age=MAX_AGE_S)


@battle.get("/bot-battle/export.csv")
@operation(tag="Bot Battle", limit="telemetry", returns=str, media="text/csv", cached=True, example=examples.BATTLE_CSV)
def export(query: Export) -> Response:
    """The lanes as a CSV file (RFC 4180): the fields of a lane in their order, and the world they trade in.

    A header line, then a line for each lane; what is not known is empty.
    """
    file = latest(f"bot-battle.csv/{query.venue}")
    response = document(file, max_age=MAX_AGE_S, media="text/csv; charset=utf-8")
    name = f"bot-battle-{query.venue}-{utc(file.as_of):%Y%m%dT%H%MZ}.csv"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@battle.get("/bot-battle/history")
@operation(tag="Bot Battle", limit="telemetry", example=examples.BATTLE_HISTORY)
def history(query: Window) -> BattleHistory:
    """What the lanes were worth bar by bar, and every trade, harvest and switch.

    `since` and `until` are UTC unless they say otherwise, and a date stands for the whole of its day. A curve of more
    than about 500 points is thinned to one in `step_s` seconds, the last bar of each; none is averaged. For finer
    ones ask for less at a time. Too long a window is refused with the longest there is: with bars of five minutes
    35 days of all lanes, or 210 days of one.
    """
    known = services()
    names = [query.lane] if query.lane else list(LANES)
    longest = MOST_BARS * known.step // len(names)
    since, until = _span(query, known.clock.at(known.now()), longest)
    with known.database.reading() as db:
        bars = {name: stored.history(db, name, since, until, MOST_BARS) for name in names}
        events = {name: stored.events(db, name, since, until, MOST_EVENTS + 1) for name in names}
    _refuse_too_many(events)
    return battle_history.history(bars, events, since=since, until=until, step=known.step, world=known.clock.world)


def _span(query: Window, now: int, longest: int) -> tuple[int, int]:
    """The first and the last unix second that are wanted, at most `longest` apart and none after `now`."""
    until = now if query.until is None else min(query.until, now)
    since = until - min(USUAL_S, longest) if query.since is None else query.since
    if since > until:
        message = f"must not be after the end, which is {iso(until)}"
        raise InvalidRequest("The window ends before it begins.", [FieldError("since", message)])
    if until - since > longest:
        message = f"must be at most {longest / DAY:g} days before the end, which is {iso(until)}"
        raise InvalidRequest("The window is too long for one answer.", [FieldError("since", message)])
    return since, until


def _refuse_too_many(events: dict[str, list]) -> None:
    for name, found in events.items():
        if len(found) > MOST_EVENTS:
            message = f"lane {name} did more than {MOST_EVENTS} things since then"
            raise InvalidRequest("The window is too long for one answer.", [FieldError("since", message)])
