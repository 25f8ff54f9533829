"""Boosted trees as flat arrays: exported once where they were grown, evaluated with NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Trees:
    """All nodes of all trees in one row of arrays, shape (nodes,).

    `roots` are the first nodes of the trees, shape (trees,); `depth` is the longest way down. At a node, a row
    whose `feature` is at most `threshold` goes `left`, else `right`; one whose feature is missing goes left
    where `missing_left` says so. A leaf is its own child and holds a `value`; the raw prediction, in log-odds,
    is `baseline` plus the values of the leaves that a row ends in.
    """

    baseline: float
    depth: int
    roots: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    missing_left: NDArray[np.bool_]
    value: NDArray[np.float64]

    def raw(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log-odds of each row, shape (n,), from features of shape (n, features)."""
        # Indices into flat arrays: `take` costs half of what indexing with arrays does.
        features, begins = rows.ravel(), np.arange(len(rows))[:, None] * rows.shape[1]
        has_missing = np.isnan(features).any()
        node = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        for _ in range(self.depth):
            seen = features.take(begins + self.feature.take(node))
            goes_left = seen <= self.threshold.take(node)
            if has_missing:
                goes_left |= np.isnan(seen) & self.missing_left.take(node)
            node = np.where(goes_left, self.left.take(node), self.right.take(node))
        return self.baseline + self.value.take(node).sum(axis=1)

    def to_plain(self) -> dict[str, Any]:
        """Lists of numbers that JSON carries without loss."""
        return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(self).items()}

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> Trees:
        """The trees that `to_plain` was called on."""
        kinds = {"threshold": np.float64, "value": np.float64, "missing_left": np.bool_}
        return Trees(
            **{
                field.name: np.array(plain[field.name], dtype=kinds.get(field.name, np.int64))
                if isinstance(plain[field.name], list)
                else plain[field.name]
                for field in fields(Trees)
            }
        )


def export(model) -> Trees:
    """The trees of a fitted binary HistGradientBoostingClassifier.

    Reads private attributes of scikit-learn; a test compares every prediction with the model's own.
    """
    grown = [stage[0].nodes for stage in model._predictors]
    sizes = np.array([len(nodes) for nodes in grown])
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    nodes = np.concatenate(grown)
    own = np.arange(len(nodes))
    offset, leaf = np.repeat(roots, sizes), nodes["is_leaf"].astype(bool)
    return Trees(
        baseline=float(np.ravel(model._baseline_prediction)[0]),
        depth=int(nodes["depth"].max()),
        roots=roots,
        feature=np.where(leaf, 0, nodes["feature_idx"]).astype(np.int64),
        # A split of the missing from the rest has no finite threshold; the largest number serves as well.
        threshold=np.where(leaf, 0.0, np.nan_to_num(nodes["num_threshold"])),
        left=np.where(leaf, own, nodes["left"] + offset).astype(np.int64),
        right=np.where(leaf, own, nodes["right"] + offset).astype(np.int64),
        missing_left=nodes["missing_go_to_left"].astype(bool) & ~leaf,
        value=np.where(leaf, nodes["value"], 0.0),
    )
