"""How much of an asset's history is stored: which spans the sources have answered, and what is still missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from service.documents import JsonRecord
from service.market.instants import DAY, HOUR, MINUTE

# A source that failed is waited for so long after the last progress; then the other assets go on without this one.
PATIENCE_S = 5 * MINUTE
GIVEN_UP_S = HOUR  # after which this one goes on with what is there
LONGEST_PAUSE_S = MINUTE  # between two tries at a source that fails
ASKED_AGAIN_S = DAY  # for bars that no source had
FIRST_GUESS_S = 25  # of the seconds that history takes, before any has arrived
MAKING_S = 12  # that the first forecasts and documents take once the history is there

Span = tuple[int, int]
HistoryState = Literal["complete", "arriving", "failing", "absent"]


@dataclass(frozen=True)
class Coverage(JsonRecord):
    """What the sources have given of the bars of one asset and one length; all instants are unix seconds.

    `windows` are the spans [since, until) that were answered, oldest first, apart from each other. Bars are wanted from
    `wanted_from` on; at `asked_at` no source had any older than `exhausted_before` that was missing. After `failures`
    in a row, the last for the reason `fault`, the next try is at `retry_at`; `is_listed` is False where no source has
    the asset. `progress_at` is the last success, or the first try; `pace` is how many seconds of bars came in a second
    with the last answer, 0 if that is unknown.
    """

    wanted_from: int
    progress_at: int
    windows: tuple[Span, ...] = ()
    source: str = ""
    exhausted_before: int = 0
    asked_at: int = 0
    fault: str = ""
    failures: int = 0
    retry_at: int = 0
    is_listed: bool = True
    pace: float = 0.0

    def answered(self, span: Span, at: int, source: str, took_s: float = 0.0) -> Coverage:
        """The coverage after `source` has answered a span at the instant `at`, in a round of `took_s` seconds."""
        windows = merged((*self.windows, span))
        pace = (span[1] - span[0]) / took_s if took_s else 0.0
        result = replace(self, fault="", failures=0, retry_at=0, is_listed=True, progress_at=at, pace=pace)
        return replace(result, windows=windows, source=source)

    def exhausted(self, before: int, at: int) -> Coverage:
        """The coverage after every source has answered that it has nothing more before the instant `before`."""
        return replace(self, exhausted_before=before, asked_at=at, progress_at=at, fault="", failures=0, retry_at=0)

    def failed(self, fault: str, at: int, *, is_listed: bool = True) -> Coverage:
        """The coverage after a fetch failed; the pauses between tries grow from 2 s to a minute."""
        pause = min(2 ** min(self.failures + 1, 10), LONGEST_PAUSE_S)
        result = replace(self, fault=fault, failures=self.failures + 1, retry_at=at + pause)
        return replace(result, is_listed=self.is_listed and is_listed)

    def has_more(self, missing: Span | None) -> bool:
        """Whether a source may have what is missing, as far as is known."""
        return missing is not None and missing[1] > self.exhausted_before

    def may_be_asked(self, missing: Span, now: int | None) -> bool:
        """Whether a source may be asked at the unix second `now`, None for some time, for what is missing."""
        is_waiting = not self.has_more(missing) and (now is None or now < self.asked_at + ASKED_AGAIN_S)
        return not is_waiting and (now is None or now >= self.retry_at)


class History(NamedTuple):
    """The stored hourly history of one asset.

    It is whole from `since` to `until`, both None without bars; `missing_s` are missing before it, of `wanted_s` in
    all. `source` is the origin of its newest bars, `detail` says why others do not arrive.
    """

    asset: str
    state: HistoryState
    since: int | None
    until: int | None
    wanted_s: int
    missing_s: int
    seconds_left: int
    source: str
    detail: str

    @property
    def days(self) -> float:
        """Days of hourly bars up to the last one, without a gap."""
        return (self.until - self.since) / DAY if self.since is not None and self.until is not None else 0.0

    @property
    def sentence(self) -> str:
        """The state in words: "240 of 240 days", "12 of 240 days, about 40 s left", or why it does not go on."""
        share = f"{self.days:.0f} of {self.wanted_s / DAY:.0f} days"
        if self.state == "arriving" and not self.detail:
            return f"{share}, about {self.seconds_left} s left"
        return self.detail if self.state == "absent" else share + (f"; {self.detail}" if self.detail else "")


def merged(windows: tuple[Span, ...]) -> tuple[Span, ...]:
    """The spans in order, with those that touch or overlap as one."""
    result: list[Span] = []
    for since, until in sorted(windows):
        if result and since <= result[-1][1]:
            result[-1] = result[-1][0], max(result[-1][1], until)
        else:
            result.append((since, until))
    return tuple(result)


def gap(windows: tuple[Span, ...], wanted_from: int) -> Span | None:
    """The newest span without an answer before the last window, not before `wanted_from`; None where there is none.

    It begins an hour before the end of an earlier window: if a source repeats that bar, there was no trade in between.
    """
    if not windows or windows[-1][0] <= wanted_from:
        return None
    earlier = windows[:-1]
    return max(wanted_from, earlier[-1][1] - HOUR if earlier else wanted_from), windows[-1][0]


def history_of(asset: str, hourly: Coverage, feed: Coverage, now: int) -> History:
    """The hourly history of an asset at the unix second `now`, from the answered hours and shorter bars."""
    windows = merged(hourly.windows + feed.windows)
    since, until = next(reversed(windows), (None, None))
    missing_s = max(0, (now if since is None else since) - hourly.wanted_from)
    gaps = {hourly: gap(windows, hourly.wanted_from), feed: gap(feed.windows, feed.wanted_from)}
    parts = [part for part, missing in gaps.items() if part.has_more(missing)]
    is_open = bool(parts) or not windows
    fault = next((part.fault for part in (hourly, feed) if part.fault), "") if is_open else ""
    state: HistoryState = "complete"
    if not windows and not feed.is_listed:
        state, fault = "absent", feed.fault
    elif is_open:
        progress_at = max(part.progress_at for part in parts or (hourly, feed))
        failing_s = now - progress_at if fault else 0
        is_given_up = failing_s > GIVEN_UP_S and windows
        state = "complete" if is_given_up else "failing" if failing_s > PATIENCE_S else "arriving"
    elif missing_s:
        fault = "no source has more"
    left = 0
    if state == "arriving":  # at the pace of the last hours, and the first forecasts after them
        left_s = missing_s / hourly.pace - (now - hourly.progress_at) if hourly.pace else FIRST_GUESS_S
        left = max(1, round(left_s)) + MAKING_S
    return History(asset, state, since, until, now - hourly.wanted_from, missing_s, left, feed.source, fault)


def has_arrived(histories: Mapping[str, History]) -> bool:
    """Whether what follows may be computed: some asset has its history, and the others fail or have theirs too."""
    states = {history.state for history in histories.values()}
    return "complete" in states and "arriving" not in states


def whole_since(histories: Mapping[str, History]) -> dict[str, int]:
    """The assets whose history is complete, each with the unix second from which it has no gap."""
    return {
        asset: -(-history.since // HOUR) * HOUR
        for asset, history in histories.items()
        if history.state == "complete" and history.since is not None
    }
