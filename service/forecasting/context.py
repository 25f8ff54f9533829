"""All that the voters know of one asset at one instant: small, plain, and computed from bars once, by a job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from service.forecasting.inputs import INPUTS, WINDOW
from service.forecasting.panel import Panel, Track, survey
from service.market.assets import ASSETS, open_hours
from service.market.bars import Bars

CORRELATION_H = 30 * 24
FRESH_H = 6  # open hours for which inputs go with a newer price
LEAST_COMMON_H = 10 * 24  # fewer common hours than this give no correlation


@dataclass(frozen=True)
class Context:
    """What is known of `asset` at `as_of`, the unix second at which its last hourly bar was complete.

    `spot` is that bar's close in USD, `history_days` the days since the first stored bar. `fast` and `slow`
    are variances of the log return per open hour (half-life 72 h; 180 days). `inputs` holds every input that
    comes from prices, null where history is too short; `correlations` that of hourly returns with each other
    asset over the last 30 days, in hours in which both traded.
    """

    asset: str
    as_of: int
    spot: float
    history_days: float
    fast: float
    slow: float
    inputs: dict[str, float | None]
    correlations: dict[str, float | None]

    def at_price(self, spot: float, as_of: int) -> Context:
        """The same knowledge beside a newer price, seen at the unix second `as_of`.

        Knowledge more than six open hours older than the price is left as it is: a fresh price must not hide
        that nobody looks any more.
        """
        if open_hours(self.asset, self.as_of, as_of) > FRESH_H:
            return self
        return replace(self, spot=spot, as_of=max(as_of, self.as_of))

    def to_plain(self) -> dict[str, Any]:
        """A dict that JSON carries without loss."""
        return asdict(self)

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> Context:
        """The context that `to_plain` was called on."""
        return Context(**plain)


def build(hourly: Mapping[str, Bars], asset: str, as_of: int) -> Context | None:
    """The context of one asset at the unix second `as_of`; None before its first bar is complete.

    Only bars that were complete at `as_of` are used, whatever else `hourly` holds.
    """
    return build_all(hourly, as_of).get(asset)


def build_all(hourly: Mapping[str, Bars], as_of: int) -> dict[str, Context]:
    """The context of every asset that has a complete bar at the unix second `as_of`."""
    known = {asset: past for asset, bars in hourly.items() if len(past := bars.until(as_of))}
    if not known:
        return {}
    return recall(survey(known), known, as_of, known)


def recall(panel: Panel, hourly: Mapping[str, Bars], as_of: int, assets: Iterable[str] = ASSETS) -> dict[str, Context]:
    """What `build_all` gave of `assets` at the unix second `as_of`, out of a later panel of the same bars.

    The panel serves once all of its assets have begun; before, one is made of those that have.
    """
    known = {asset: past for asset, bars in hourly.items() if len(past := bars.until(as_of))}
    if not known:
        return {}
    if known.keys() != panel.tracks.keys():
        panel = survey(known)
    row = panel.row_at(max(bars.as_of for bars in known.values()))
    return {asset: _context(panel, row, asset, known[asset]) for asset in assets if asset in known}


def _context(panel: Panel, row: int, asset: str, bars: Bars) -> Context:
    track = panel.tracks[asset]
    inputs = {name: _finite(track.inputs[name][row]) for name in INPUTS if name not in WINDOW}
    return Context(
        asset=asset,
        as_of=bars.as_of,
        spot=float(bars.close[-1]),
        history_days=panel.history_days(asset, row),
        fast=float(track.fast[row]),
        slow=float(track.slow[row]),
        inputs=inputs,
        correlations={other: _correlation(track, panel.tracks[other], row) for other in panel.tracks if other != asset},
    )


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _correlation(one: Track, other: Track, row: int) -> float | None:
    """Correlation of hourly returns in the common hours of 30 days until `row`; None where there are too few."""
    recent = slice(max(0, row + 1 - CORRELATION_H), row + 1)
    common = one.traded[recent] & other.traded[recent]
    if common.sum() < LEAST_COMMON_H:
        return None
    mine, theirs = one.returns[recent][common], other.returns[recent][common]
    if not mine.any() or not theirs.any():
        return None
    return float(np.clip(np.corrcoef(mine, theirs)[0, 1], -1, 1))
