"""What the learning voters make of past questions; run by a job, never in a request.

scikit-learn and SciPy are imported here alone, and only when something is fitted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray

from service.forecasting import law, linear
from service.forecasting.brains import FOREST, LOGIT
from service.forecasting.fits import VERSION, Fits
from service.forecasting.forest import TREE_INPUTS, ForestFit, difference, mirror, tree_rows
from service.forecasting.inputs import LOOK_BACK_H
from service.forecasting.linear import LinearFit
from service.forecasting.logistic import most_probable
from service.forecasting.panel import Panel, survey
from service.forecasting.past import Sample, ask_past
from service.forecasting.seats import SEATS
from service.forecasting.trees import Trees, export
from service.market.bars import Bars
from service.market.instants import DAY, HOUR

Array = NDArray[np.float64]

LINEAR = tuple(voter.name for voter in (*SEATS, LOGIT))
LEARNERS = {**{voter.name: voter.inputs for voter in (*SEATS, LOGIT)}, FOREST.name: TREE_INPUTS}
NEEDED_DAYS = {**dict.fromkeys(LINEAR, 60), FOREST.name: 90}  # of hourly bars before a voter is fitted
UNASKED_DAYS = LOOK_BACK_H // 24 + 2  # of them, from which no question comes: look-back and the ends of the grid
LEARNT_DAYS = 365  # questions asked earlier than this before the slot are left out
EVERY_H = 17  # hours between the instants of asking: no divisor of a day, so every hour of the day is asked at
HORIZONS_H = (4, 8, 24, 72, 168)
LEVELS = (-2.0, -1.25, -0.5, 0.0, 0.5, 1.25, 2.0)  # distances; 0 is the direction question

# Standard deviations of the normal priors, in log-odds per unit of score: what a term may be worth before any
# bar was seen. The shape of the law is plain to see in data, leans are nearly nothing.
PRIOR_SHAPE = 1.0
PRIOR_WIDTH = 0.1
PRIOR_LEAN = 0.03

HELD_OUT = 0.25  # the last part of the questions, on which the weight of the trees is found
PRIOR_TREES = (0.5, 0.25)  # mean and standard deviation of that weight


def fit(hourly: Mapping[str, Bars], slot: int) -> Fits:
    """Everything the learning voters can learn from hourly bars that were complete at the unix second `slot`.

    The same bars and the same slot give the same fit to the last bit: it is computed on one thread.
    """
    known = {asset: bars.until(slot) for asset, bars in hourly.items()}
    if not any(map(len, known.values())):
        return Fits(VERSION, slot, 0, {}, None, _missing(0.0, {}))
    return fit_panel(survey(known), slot)


def fit_panel(panel: Panel, slot: int) -> Fits:
    """`fit` on a panel that may reach beyond `slot`: no label decided after it is used."""
    row = panel.row_at(slot)
    days = max(panel.history_days(asset, row) for asset in panel.tracks)
    sample = ask_past(panel, slot - LEARNT_DAYS * DAY, slot, every_h=EVERY_H, horizons_h=HORIZONS_H, levels=LEVELS)
    samples = {name: sample.having(inputs) for name, inputs in LEARNERS.items()}
    missing = _missing(days, samples)
    with _one_thread():
        return Fits(
            version=VERSION,
            slot=slot,
            trained_until=int(sample.deadline.max(initial=0)),
            linear={name: fit_linear(LEARNERS[name], samples[name]) for name in LINEAR if name not in missing},
            forest=None if FOREST.name in missing else fit_forest(samples[FOREST.name]),
            missing=missing,
        )


def _one_thread() -> AbstractContextManager:
    """Holds every pool of threads at one, so that sums are always taken in the same order.

    scikit-learn's own pool can only be held once it is loaded, so it is loaded first.
    """
    import sklearn.ensemble  # noqa: F401
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)


def _missing(days: float, samples: Mapping[str, Sample]) -> dict[str, str]:
    """Which voters cannot be fitted, and why."""
    missing = {}
    for name, needed in NEEDED_DAYS.items():
        if days < needed:
            missing[name] = f"needs {needed} days of hourly bars, {days:.0f} are stored"
        elif _days_asked(samples[name]) < needed - UNASKED_DAYS:
            missing[name] = f"knows all of its inputs for less than {needed - UNASKED_DAYS} days"
    return missing


def _days_asked(sample: Sample) -> float:
    return float(np.ptp(sample.asked)) / DAY if len(sample) else 0.0


def fit_linear(inputs: Sequence[str], sample: Sample) -> LinearFit:
    """The most probable residual under the priors, each question counted for what it is worth."""
    values, leaning = sample.values(inputs), linear.is_lean(inputs)
    centers = np.where(leaning, 0.0, values.mean(axis=0))
    scales = np.sqrt(np.mean((values - centers) ** 2, axis=0)) + 1e-9
    blank = LinearFit(tuple(inputs), tuple(centers.tolist()), tuple(scales.tolist()), (), 0.0, 0.0, 0.0, 0, 0.0)
    design = linear.design(inputs, sample.metal, sample.z, sample.hours, linear.scores(blank, values))
    worth = sample.worth()
    deviations = np.concatenate([[PRIOR_SHAPE] * 3, np.where(leaning, PRIOR_LEAN, PRIOR_WIDTH)])
    found = most_probable(design, law.normal_log_odds_of(sample.z), sample.happened, worth, deviations)
    width, metal, tail, *coefficients = found.tolist()
    return LinearFit(
        inputs=blank.inputs,
        centers=blank.centers,
        scales=blank.scales,
        coefficients=tuple(coefficients),
        width=width,
        metal=metal,
        tail=tail,
        questions=len(sample),
        independent=float(worth.sum()),
    )


def fit_forest(sample: Sample) -> ForestFit:
    """Boosted trees on the earlier questions and their mirror images, weighed on the later ones.

    No question of the later part was asked before the last label of the earlier part was known.
    """
    earlier, later = split(sample.where(_hardly_overlaps(sample)))
    trees = export(_grow(earlier))
    values = sample.values(TREE_INPUTS)
    return ForestFit(
        inputs=TREE_INPUTS,
        centers=tuple(np.where(linear.is_lean(TREE_INPUTS), 0.0, values.mean(axis=0)).tolist()),
        weight=_believed(trees, later),
        questions=len(sample),
        independent=float(sample.worth().sum()),
        trees=trees,
    )


def split(sample: Sample) -> tuple[Sample, Sample]:
    """The questions decided before the last quarter of asking, and those asked in it."""
    cut = int(np.quantile(sample.asked, 1 - HELD_OUT))
    return sample.where(sample.deadline <= cut), sample.where(sample.asked >= cut)


def _hardly_overlaps(sample: Sample) -> NDArray[np.bool_]:
    """Those questions that are asked no more often than their horizon lasts, and at most once a day.

    The trees then need no weights, with which scikit-learn takes seconds longer to bin.
    """
    instant = sample.asked // HOUR // EVERY_H
    apart = np.maximum((sample.deadline - sample.asked) // HOUR, 24) // EVERY_H + 1
    return instant % apart == 0


def _grow(sample: Sample):
    """Trees that fall with the level, on each question and on its mirror image."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    values = sample.values(TREE_INPUTS)
    asked = tree_rows(sample.z, sample.hours, values)
    mirrored = tree_rows(-sample.z, sample.hours, mirror(values))
    model = HistGradientBoostingClassifier(
        max_iter=100,
        learning_rate=0.04,
        max_leaf_nodes=8,
        min_samples_leaf=400,
        l2_regularization=50,
        monotonic_cst=[-1] + [0] * (asked.shape[1] - 1),
        early_stopping=False,
        random_state=0,
    )
    outcomes = np.concatenate([sample.happened, 1 - sample.happened])
    return model.fit(np.concatenate([asked, mirrored]), outcomes)


def _believed(trees: Trees, sample: Sample) -> float:
    """The share of the trees' log-odds that the held-out questions bear out, in [0, 1]; a half if there are none."""
    beyond = difference(trees, sample.z, sample.hours, sample.values(TREE_INPUTS))
    mean, deviation = (np.array([value]) for value in PRIOR_TREES)
    offset = law.normal_log_odds_of(sample.z)
    found = most_probable(beyond[:, None], offset, sample.happened, sample.worth(), deviation, mean)
    return float(np.clip(found[0], 0.0, 1.0))
