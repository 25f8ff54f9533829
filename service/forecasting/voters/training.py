"""Fitting the voters that learn to past questions; run by a job, never in a request.

scikit-learn is imported here alone, and only when something is fitted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.fitting import fit_calendars
from service.forecasting.voters import linear
from service.forecasting.voters.brains import FOREST, LOGIT
from service.forecasting.voters.fits import VERSION, Fits
from service.forecasting.voters.forest import FURTHEST_LEARNT, TREE_INPUTS, ForestFit, difference, mirror, tree_rows
from service.forecasting.voters.input_history import NO_NEWS, InputHistory, survey
from service.forecasting.voters.inputs import HEADLINES, LOOK_BACK_H, can_have
from service.forecasting.voters.linear import LinearFit
from service.forecasting.voters.logistic import fit_map
from service.forecasting.voters.news_track import NewsTrack
from service.forecasting.voters.past import QuestionSample, ask_past
from service.forecasting.voters.seats import NEWS, SEATS
from service.forecasting.voters.seen import see
from service.forecasting.voters.trees import Trees, export
from service.market.bars import Bars
from service.market.instants import DAY, HOUR

if TYPE_CHECKING:
    from sklearn.ensemble import HistGradientBoostingClassifier

Array = NDArray[np.float64]

LINEAR = tuple(voter.name for voter in (*SEATS, LOGIT))
LEARNERS = {**{voter.name: voter.inputs for voter in (*SEATS, LOGIT)}, FOREST.name: TREE_INPUTS}
NEEDED_DAYS = {**dict.fromkeys(LINEAR, 60), FOREST.name: 90}  # of hourly bars before a voter is fitted
LEAST_DAYS = min(NEEDED_DAYS.values())
UNASKED_DAYS = LOOK_BACK_H // 24 + 2  # of them without questions: the look-back and the ends of the grid
LEARNT_DAYS = 365  # questions asked earlier than this before the slot are left out
EVERY_H = 17  # hours between the instants of asking: no divisor of a day, so every hour of the day occurs
HORIZONS_H = (4, 8, 24, 72, 168)
LEVELS = (-2.0, -1.25, -0.5, 0.0, 0.5, 1.25, 2.0)  # distances; 0 is the direction question

# Standard deviations of the normal priors, in log-odds per unit of score. The shape of the distribution is easy to
# estimate; leans are close to zero.
PRIOR_SHAPE = 1.0
PRIOR_WIDTH = 0.1
PRIOR_LEAN = 0.03

HELD_OUT = 0.25  # the last part of the questions, which the weight of the trees is fitted to
PRIOR_TREES = (0.5, 0.25)  # mean and standard deviation of that weight


def fit(hourly: Mapping[str, Bars], slot: int, news: Mapping[str, NewsTrack] = NO_NEWS) -> Fits:
    """The fits to hourly bars that were complete at the unix second `slot`.

    The news seat is fitted to the inputs of headlines in `news` where they are there at `slot`, else to the calendar
    alone. The same bars and the same slot give the same fits to the last bit: they are computed on one thread.
    """
    complete = {asset: bars.until(slot) for asset, bars in hourly.items()}
    if not any(map(len, complete.values())):
        return Fits(VERSION, slot, 0, {}, None, _missing(0.0, {}))
    return fit_history(survey(complete, news), slot)


def fit_history(history: InputHistory, slot: int) -> Fits:
    """`fit` on a history that may extend beyond `slot`: no label decided after it is used."""
    row = history.row_at(slot)
    days = max(history.days(asset, row) for asset in history.tracks)
    learners = learners_at(history, row)
    sample = ask_past(history, slot - LEARNT_DAYS * DAY, slot, every_h=EVERY_H, horizons_h=HORIZONS_H, levels=LEVELS)
    with _one_thread():
        densities = fit_calendars(history.grid, {asset: track.variance for asset, track in history.tracks.items()}, row)
        samples = {name: sample.having(inputs) for name, inputs in learners.items()}
        seen = {name: see(chosen, name, densities) for name, chosen in samples.items()}
        missing = _missing(days, samples)
        return Fits(
            version=VERSION,
            slot=slot,
            trained_until=int(sample.deadline.max(initial=0)),
            linear={name: fit_linear(learners[name], *seen[name]) for name in LINEAR if name not in missing},
            forest=None if FOREST.name in missing else fit_forest(*seen[FOREST.name]),
            missing=missing,
            densities=densities,
        )


def learners_at(history: InputHistory, row: int) -> Mapping[str, tuple[str, ...]]:
    """The inputs of every voter that learns; those of headlines belong to the news seat once they are there."""
    scores = [track.inputs[HEADLINES[0]][row] for track in history.tracks.values() if HEADLINES[0] in track.inputs]
    return LEARNERS | {NEWS.name: NEWS.inputs + HEADLINES} if np.isfinite(scores).any() else LEARNERS


def load_libraries() -> None:
    """Import scikit-learn, which takes a second or two, before processes are forked that fit."""
    import sklearn.ensemble  # noqa: F401


def _one_thread() -> AbstractContextManager:
    """Limits every thread pool to one thread, so that sums are always taken in the same order.

    The limit applies to loaded libraries only, so scikit-learn is imported first.
    """
    from threadpoolctl import threadpool_limits

    load_libraries()

    return threadpool_limits(1)


def _missing(days: float, samples: Mapping[str, QuestionSample]) -> dict[str, str]:
    """The voters that cannot be fitted, with the reason."""
    missing = {}
    for name, needed in NEEDED_DAYS.items():
        if days < needed:
            missing[name] = f"needs {needed} days of hourly bars, {days:.0f} are stored"
        elif _days_asked(samples[name]) < needed - UNASKED_DAYS:
            missing[name] = f"has all of its inputs for less than {needed - UNASKED_DAYS} days"
    return missing


def awaited(missing: Collection[str], assets: Collection[str]) -> list[str]:
    """The missing voters that a longer history of `assets` would fit; one asset alone has no peers to learn from."""
    return [name for name in missing if can_have(LEARNERS[name], assets)]


def _days_asked(sample: QuestionSample) -> float:
    return float(np.ptp(sample.asked_at)) / DAY if len(sample) else 0.0


def fit_linear(inputs: tuple[str, ...], sample: QuestionSample, base: Array) -> LinearFit:
    """The maximum a posteriori residual on the log-odds `base`; each question counts by its worth in independent ones.

    The distances of the sample are in standard deviations of the voter's own view.
    """
    values, leaning = sample.values(inputs), linear.is_lean(inputs)
    centers = np.where(leaning, 0.0, values.mean(axis=0))
    scales = np.sqrt(np.mean((values - centers) ** 2, axis=0)) + 1e-9
    blank = LinearFit(inputs, tuple(centers.tolist()), tuple(scales.tolist()), (), 0.0, 0.0, 0.0, 0, 0.0)
    design = linear.design(inputs, sample.metal, sample.z, sample.hours, linear.scores(blank, values))
    worth = sample.worth()
    deviations = np.concatenate([[PRIOR_SHAPE] * 3, np.where(leaning, PRIOR_LEAN, PRIOR_WIDTH)])
    fitted = fit_map(design, base, sample.happened, worth, deviations)
    width, metal, tail, *coefficients = fitted.tolist()
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


def fit_forest(sample: QuestionSample, base: Array) -> ForestFit:
    """Boosted trees on the earlier near questions and their mirror images, weighted by their skill on the later ones.

    Every label of the earlier part is decided before the first question of the later part is asked.
    """
    is_sparse = _overlaps_little(sample) & (np.abs(sample.z) <= FURTHEST_LEARNT)
    sparse = sample.where(is_sparse)
    earlier, later = split(sparse)
    trees = export(_grow(sparse.where(earlier)))
    values = sample.values(TREE_INPUTS)
    return ForestFit(
        inputs=TREE_INPUTS,
        centers=tuple(np.where(linear.is_lean(TREE_INPUTS), 0.0, values.mean(axis=0)).tolist()),
        weight=_weight(trees, sparse.where(later), base[is_sparse][later]),
        questions=len(sample),
        independent=float(sample.worth().sum()),
        trees=trees,
    )


def split(sample: QuestionSample) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which questions were decided before the last quarter of asking, and which were asked in it."""
    cut = int(np.quantile(sample.asked_at, 1 - HELD_OUT))
    return sample.deadline <= cut, sample.asked_at >= cut


def _overlaps_little(sample: QuestionSample) -> NDArray[np.bool_]:
    """The questions at least a horizon and a day apart.

    The trees then need no weights; with weights, binning takes scikit-learn seconds longer.
    """
    instant = sample.asked_at // HOUR // EVERY_H
    apart = np.maximum((sample.deadline - sample.asked_at) // HOUR, 24) // EVERY_H + 1
    return instant % apart == 0


def _grow(sample: QuestionSample) -> HistGradientBoostingClassifier:
    """Trees whose probability falls with the level, fitted to each question and its mirror image."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    values = sample.values(TREE_INPUTS)
    direct = tree_rows(sample.z, sample.hours, values)
    mirrored = tree_rows(-sample.z, sample.hours, mirror(values))
    model = HistGradientBoostingClassifier(
        max_iter=100,
        learning_rate=0.04,
        max_leaf_nodes=8,
        min_samples_leaf=400,
        l2_regularization=50,
        monotonic_cst=[-1] + [0] * (direct.shape[1] - 1),
        early_stopping=False,  # pyright: ignore[reportArgumentType]  # inferred from the default 'auto'
        random_state=0,
    )
    outcomes = np.concatenate([sample.happened, 1 - sample.happened])
    return model.fit(np.concatenate([direct, mirrored]), outcomes)


def _weight(trees: Trees, sample: QuestionSample, base: Array) -> float:
    """The share of the trees' residual that held-out questions support, in [0, 1]; 0.5, the prior, without any."""
    beyond = difference(trees, sample.z, sample.hours, sample.values(TREE_INPUTS), base)
    mean, deviation = (np.array([value]) for value in PRIOR_TREES)
    (share,) = fit_map(beyond[:, None], base, sample.happened, sample.worth(), deviation, mean)
    return float(np.clip(share, 0.0, 1.0))
