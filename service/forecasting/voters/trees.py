"""Boosted trees as flat arrays: exported once after fitting, evaluated with NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sklearn.ensemble import HistGradientBoostingClassifier

ARRAYS = {
    "roots": np.int64,
    "feature": np.int64,
    "threshold": np.float64,
    "left": np.int64,
    "right": np.int64,
    "missing_left": np.bool_,
    "value": np.float64,
}


@dataclass(frozen=True)
class Trees:
    """All nodes of all trees in one set of arrays, shape (nodes,).

    `roots` are the first nodes of the trees, shape (trees,); `depth` is the longest path. At a node, a row whose
    `feature` is at most `threshold` goes `left`, else `right`; a missing feature goes left where `missing_left` is
    true. A leaf is its own child and holds a `value`; the raw prediction, in log-odds, is `baseline` plus the values of
    the leaves that a row ends in.
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
        # Indices into flat arrays: `take` costs half of indexing with arrays.
        features, begins = rows.ravel(), np.arange(len(rows))[:, None] * rows.shape[1]
        has_missing = np.isnan(features).any()
        node = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        for _ in range(self.depth):
            feature = features.take(begins + self.feature.take(node))
            goes_left = feature <= self.threshold.take(node)
            if has_missing:
                goes_left |= np.isnan(feature) & self.missing_left.take(node)
            node = np.where(goes_left, self.left.take(node), self.right.take(node))
        return self.baseline + self.value.take(node).sum(axis=1)

    def to_plain(self) -> dict[str, Any]:
        """Lists of numbers that JSON carries without loss."""
        return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(self).items()}

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> Trees:
        """The trees that `to_plain` was called on."""
        arrays = {name: np.array(plain[name], dtype=kind) for name, kind in ARRAYS.items()}
        return Trees(baseline=plain["baseline"], depth=plain["depth"], **arrays)


def export(model: HistGradientBoostingClassifier) -> Trees:
    """The trees of a fitted binary HistGradientBoostingClassifier.

    Reads private attributes of scikit-learn; a test compares every prediction with the model's own.
    """
    trees = [stage[0].nodes for stage in model._predictors]
    sizes = np.array([len(nodes) for nodes in trees])
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    nodes = np.concatenate(trees)
    own = np.arange(len(nodes))
    offset, leaf = np.repeat(roots, sizes), nodes["is_leaf"].astype(bool)
    return Trees(
        baseline=float(np.ravel(model._baseline_prediction)[0]),
        depth=int(nodes["depth"].max()),
        roots=roots,
        feature=np.where(leaf, 0, nodes["feature_idx"]).astype(np.int64),
        # A split of missing from present values has an infinite threshold, which JSON cannot hold.
        threshold=np.where(leaf, 0.0, np.nan_to_num(nodes["num_threshold"])),
        left=np.where(leaf, own, nodes["left"] + offset).astype(np.int64),
        right=np.where(leaf, own, nodes["right"] + offset).astype(np.int64),
        missing_left=nodes["missing_go_to_left"].astype(bool) & ~leaf,
        value=np.where(leaf, nodes["value"], 0.0),
    )
