"""From an opinion to a forecast and the sentences that explain it by what each of its terms did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from numpy.typing import NDArray

from service.forecasting import law
from service.forecasting.law import Curve
from service.forecasting.questions.question import Question
from service.forecasting.situation import Situation, p_yes, settled
from service.forecasting.votes import Forecast

SHOWN = 3  # terms that are named
LEAST_POINTS = 0.05  # a term that moves the answer by less is not named


@dataclass(frozen=True)
class Opinion:
    """A voter's curve of one asset, and what becomes of it without its inputs.

    `log_odds(z)` has shape (2 + terms,): the whole; with every input at its neutral value; then with the first
    input neutral, the second, and so on. `term(place)` says an input in words.
    """

    asset: str
    log_odds: Callable[[float], NDArray]
    terms: int
    term: Callable[[int], str]

    def curves(self) -> list[Curve]:
        """The same as one curve each; a distance is computed once for all of them."""
        seen: dict[float, list[float]] = {}

        def at(z: float) -> list[float]:
            if z not in seen:
                seen[z] = self.log_odds(z).tolist()
            return seen[z]

        return [lambda z, place=place: at(z)[place] for place in range(2 + self.terms)]


def speak(question: Question, situation: Situation, opinions: Sequence[Opinion], looks_at: str) -> Forecast:
    """The forecast of a voter with an opinion of each asset in the question: one, or two where it is relative."""
    curves = [opinion.curves() for opinion in opinions]
    p = p_yes(question, situation, *[each[0] for each in curves])
    decided = settled(question, situation.view)
    if decided is not None:
        return Forecast(p, decided)
    base = p_yes(question, situation, *[law.normal_log_odds] * len(opinions))
    neutral = p_yes(question, situation, *[each[1] for each in curves])
    effects = [(neutral - base, lambda: "the usual shape of moves")]
    for place, opinion in enumerate(opinions):
        for term, without in enumerate(curves[place][2:]):
            others = [without if here == place else each[0] for here, each in enumerate(curves)]
            said = partial(_term, opinion, term, is_one_of_two=len(opinions) > 1)
            effects.append((p - p_yes(question, situation, *others), said))
    return Forecast(
        p, f"Base rate from volatility {100 * base:.1f} %. {looks_at}: {_told(effects)}. {100 * p:.1f} % in all."
    )


def _term(opinion: Opinion, place: int, *, is_one_of_two: bool) -> str:
    said = opinion.term(place)
    return f"{opinion.asset} {said}" if is_one_of_two else said


def _told(effects: Sequence[tuple[float, Callable[[], str]]]) -> str:
    """The largest effects, in points of P(YES); only they are put into words, which takes longer than to find them."""
    points = sorted(((100 * effect, say) for effect, say in effects), key=lambda effect: -abs(effect[0]))
    shown = [_said(effect, say()) for effect, say in points[:SHOWN] if abs(effect) >= LEAST_POINTS]
    return "; ".join(shown) or "nothing that moves it by a tenth of a point"


def _said(points: float, term: str) -> str:
    return f"{term} {'adds' if points > 0 else 'takes'} {abs(points):.1f} points"
