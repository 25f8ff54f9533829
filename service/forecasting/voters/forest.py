"""Boosted trees as a curve: symmetric between up and down, and counted in part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.forecasting.voters.linear import LONGEST_H, fade, is_lean
from service.forecasting.voters.trees import Trees

Array = NDArray[np.float64]

TREE_INPUTS = (
    "move_24h",
    "move_168h",
    "mean_distance_48h",
    "peers_rising",
    "leader_gap_24h",
    "mean_50d",
    "vol_ratio_180d",
    "vol_ratio_12h",
    "weekend",
    "us_session",
)
FURTHEST_LEARNT = 2.0  # the trees were fitted to no level further away than this


@dataclass(frozen=True)
class ForestFit:
    """The trees, their inputs beside distance and horizon, and their weight.

    `weight` is the share of the trees' difference from the log-odds of volatility that is used, in [0, 1]; `centers`
    replace an input that is left out. The fit used `questions`, worth `independent` ones.
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
        trees = Trees.from_plain(plain["trees"])
        lists = {name: tuple(plain[name]) for name in ("inputs", "centers")}
        return replace(ForestFit(**plain), trees=trees, **lists)


def tree_rows(z: Array, hours: Array, values: Array) -> Array:
    """The features of questions for the trees: distance, log of the horizon (cut at the longest learnt), inputs."""
    return np.column_stack([z, np.log(np.clip(hours, 1.0, LONGEST_H)), values])


def mirror(values: Array) -> Array:
    """The inputs of the mirrored price history, shape (n, inputs)."""
    return values * np.where(is_lean(TREE_INPUTS), -1.0, 1.0)


def near(z: float) -> float:
    """The distance at which the trees are asked about a level at distance `z`."""
    return max(-FURTHEST_LEARNT, min(FURTHEST_LEARNT, z))


def difference(trees: Trees, z: Array, hours: Array, values: Array, base: Array) -> Array:
    """Log-odds of closing above levels at distances `z` of at most 2 by the trees, less those of the base, shape (n,).

    The trees answer the question and its mirror image, and half the difference counts, so they prefer neither up nor
    down.
    """
    direct = trees.raw(tree_rows(z, hours, values))
    mirrored = trees.raw(tree_rows(-z, hours, mirror(values)))
    return (direct - mirrored) / 2 - base


def residual(fit: ForestFit, z: Array, hours: Array, values: Array, base: Array) -> Array:
    """What the fit adds to the log-odds `base` of its view; `z` as in `difference`, `values` are raw (n, inputs)."""
    return fit.weight * fade(hours) * difference(fit.trees, z, hours, values, base)
