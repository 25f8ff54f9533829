"""The packages scoringrules and scikit-learn check our scores: `make referee`.

The CRPS of hundreds of random laws and outcomes, as the evaluation and the record of committed price forecasts
compute it, must be that package's to 1e-9; and about 1% above the exact integral, for normal laws. Scores of
probabilities, bins of a calibration and isotonic frequencies must be those of scikit-learn. Runs in the environment of
the referees, from the project's root.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import scoringrules
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss

from notebooks.lab.scores import calibration
from service.forecasting.price_record.committed import LEVELS, NORMAL, WEIGHTS, PriceForecast, score
from service.scores.proper import CLIP, brier, log_score, reliability
from tests.measure.evaluate import scores_of
from tests.measure.price_questions import COLUMNS

ROWS = 500
TOLERANCE = 1e-9
# The mean over 99 levels is 100 / 99 of the sum by trapezoids, which cuts the tails a little: 1% above the integral.
QUADRATURE = (0.005, 0.015)


def main() -> None:
    generator = np.random.default_rng(1)
    outcomes = generator.standard_t(3, ROWS)
    laws = np.sort(generator.standard_t(4, (ROWS, 99)) * generator.lognormal(0, 0.7, (ROWS, 1)), axis=1)
    widths = np.sort(generator.lognormal(0, 0.7, (ROWS, 4)), axis=1)
    p, happened = generator.uniform(size=ROWS), generator.integers(0, 2, ROWS)
    scores = score(
        [PriceForecast(0, "btc", "24h", 100.0, 0, (1.0, 1.0, 1.0, *row)) for row in widths.tolist()],
        (100 * np.exp(outcomes / 100)).tolist(),
    )
    differences = [
        compare("CRPS of the evaluation", evaluated(laws, outcomes), crps(laws, outcomes)),
        compare("CRPS of committed forecasts", scores.crps, crps(widths @ WEIGHTS, outcomes)),
        compare("CRPS of plain volatility", scores.vol_crps, crps(np.tile(NORMAL, (ROWS, 1)), outcomes)),
        compare("Brier score", brier(p, happened), scoringrules.brier_score(happened, p)),
        *against_scikit_learn(p, happened),
    ]
    above = float(scores.vol_crps.mean() / np.mean(scoringrules.crps_normal(outcomes, 0.0, 1.0)) - 1)
    print(f"scoringrules {'integral of a normal law':30} the mean of 99 levels is {above:.2%} above it, on average")
    if max(differences) > TOLERANCE or not QUADRATURE[0] < above < QUADRATURE[1]:
        sys.exit("the scores differ from those of scoringrules")


def crps(quantiles: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    return scoringrules.crps_quantile(outcomes, quantiles, LEVELS)


def against_scikit_learn(p: np.ndarray, happened: np.ndarray) -> list[float]:
    """Scores, ten bins of equal count and the isotonic frequencies of forecasts `p` (n,) and outcomes 0 or 1 (n,)."""
    corp, bins = reliability(p, happened), calibration(p, happened.astype(float), np.zeros(len(p), np.int64))
    shares, means = calibration_curve(happened, p, n_bins=len(bins), strategy="quantile")
    isotonic = IsotonicRegression().fit_transform(corp.p, happened[np.argsort(p, kind="stable")])
    ours = {
        "Brier score, mean": ([corp.brier], [brier_score_loss(happened, p)]),
        "log score, mean": ([log_score(p, happened).mean()], [log_loss(happened, np.clip(p, CLIP, 1 - CLIP))]),
        "bins: mean forecast": ([bin_["p"] for bin_ in bins], means),
        "bins: how often it came": ([bin_["observed_pct"] / 100 for bin_ in bins], shares),
        "isotonic frequencies": (corp.frequencies, isotonic),
    }
    return [compare(name, np.asarray(row), np.asarray(theirs)) for name, (row, theirs) in ours.items()]


def evaluated(quantiles: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    """The CRPS in the table of `make evaluate`, of questions whose scale is 1."""
    questions = pd.DataFrame({"horizon_h": 24, "scale": 1.0, "returned": outcomes})
    questions = questions.assign(level=0.0, closed=0.0, touch=1.0, touched=0.0)
    return scores_of(questions, pd.DataFrame(quantiles, columns=COLUMNS))["CRPS"].to_numpy()


def compare(name: str, ours: np.ndarray, theirs: np.ndarray) -> float:
    """Print and return the largest difference."""
    difference = float(np.max(np.abs(ours - theirs)))
    print(f"referee      {name:30} {len(ours)} rows: largest difference {difference:.1e}", flush=True)
    return difference


if __name__ == "__main__":
    main()
