"""Boosted trees as an opinion: even-handed between up and down, and believed in part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.forecasting.law import normal_log_odds_of
from service.forecasting.linear import LONGEST_H, fade, is_lean
from service.forecasting.trees import Trees

Array = NDArray[np.float64]

TREE_INPUTS = (
    "move_24h",
    "move_168h",
    "stretch_48h",
    "peers_rising",
    "leader_gap_24h",
    "mean_50d",
    "heat",
    "spark",
    "weekend",
    "us_session",
)
FURTHEST_LEARNT = 2.0  # the trees saw no level further away than this


@dataclass(frozen=True)
class ForestFit:
    """The trees, what they look at beside distance and horizon, and how far they are believed.

    `weight` is the share of their log-odds against those of volatility; `centers` stand for an input that is
    left out. `questions` were learnt from, worth `independent` ones.
    """

    inputs: tuple[str, ...]
    centers: tuple[float, ...]
    weight: float
    questions: int
    independent: float
    trees: Trees

    def to_plain(self) -> dict[str, Any]:
        """A dict that JSON carries without loss."""
        return {**vars(self), "trees": self.trees.to_plain()}

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> ForestFit:
        """The fit that `to_plain` was called on."""
        lists = {name: tuple(plain[name]) for name in ("inputs", "centers")}
        return ForestFit(**{**plain, **lists, "trees": Trees.from_plain(plain["trees"])})


def tree_rows(z: Array, hours: Array, values: Array) -> Array:
    """What the trees see of questions: distance, log of the horizon (cut at the longest learnt), the inputs."""
    return np.column_stack([z, np.log(np.clip(hours, 1.0, LONGEST_H)), values])


def mirror(values: Array) -> Array:
    """The inputs of the same history with up and down exchanged, shape (n, inputs)."""
    return values * np.where(is_lean(TREE_INPUTS), -1.0, 1.0)


def difference(trees: Trees, z: Array, hours: Array, values: Array) -> Array:
    """Log-odds of closing above levels at distances `z` by the trees, less those of volatility, shape (n,).

    The trees are asked about the question and about its mirror image, so they have no view of their own on up
    and down. Beyond 2 sigma the difference stays what it is there.
    """
    near = np.clip(z, -FURTHEST_LEARNT, FURTHEST_LEARNT)
    asked = trees.raw(tree_rows(near, hours, values))
    mirrored = trees.raw(tree_rows(-near, hours, mirror(values)))
    return (asked - mirrored) / 2 - normal_log_odds_of(near)


def log_odds(fit: ForestFit, z: Array, hours: Array, values: Array) -> Array:
    """Log-odds of closing above levels at distances `z`, shape (n,); `values` are raw inputs (n, inputs)."""
    return normal_log_odds_of(z) + fit.weight * fade(hours) * difference(fit.trees, z, hours, values)
