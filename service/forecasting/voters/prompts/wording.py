"""How a prompt names assets, prices and the deadline; masked, nothing lets a model remember what came after."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from string import ascii_uppercase

from service.forecasting.voters.forecast_inputs import AssetState, settled
from service.market.assets import ASSETS
from service.market.instants import HOUR
from service.questions.canonical import canonical, price, sentence
from service.questions.question import Question

INDEX = 100.0  # the masked price of an asset at the question
SIGNIFICANT = 5  # digits of a quantile


@dataclass(frozen=True)
class Wording:
    """The words for one question.

    Masked, an asset is "asset A", a price an index that is 100 at the question, and the deadline so many hours away.
    """

    question: Question
    is_masked: bool

    def asset(self, key: str) -> str:
        """The name of an asset; the question's assets are the first of the letters."""
        if not self.is_masked:
            return key
        order = [*self.question.assets, *(asset for asset in ASSETS if asset not in self.question.assets)]
        return f"asset {ascii_uppercase[order.index(key)]}"

    def price(self, usd: float, state: AssetState) -> str:
        """A price of the state's asset, with its unit."""
        return f"{self._index(usd, state)} (index)" if self.is_masked else f"{price(usd)} USD"

    def rounded(self, usd: float, state: AssetState) -> str:
        """A price without its unit, in at most five significant digits."""
        level = INDEX * usd / state.spot if self.is_masked else usd
        return price(float(f"{level:.{SIGNIFICANT}g}"))

    def sentence(self, state: AssetState) -> str:
        """The question rebuilt from its parse."""
        if not self.is_masked:
            return canonical(self.question)
        masked = sentence(
            self._rebased(state), asset=self.asset, usd=lambda usd: self._index(usd, state), instant=self._instant
        )
        return masked.replace(" USD", "")

    def _instant(self, at: datetime) -> str:
        before_deadline_h = (self.question.deadline - at).total_seconds() / HOUR
        return f"{self.question.horizon_hours - before_deadline_h:.1f} hours from now"

    def _rebased(self, state: AssetState) -> Question:
        """The question with the levels of every asset as the same share of the state's price."""
        factors = [state.spot / leg.spot for leg in self.question.legs]
        legs = (
            replace(leg, spot=state.spot, level=leg.level and leg.level * factor)
            for leg, factor in zip(self.question.legs, factors, strict=True)
        )
        return replace(self.question, legs=tuple(legs))

    def _index(self, usd: float | None, state: AssetState) -> str:
        return "" if usd is None else price(round(INDEX * usd / state.spot, 2))

    def words(self, state: AssetState) -> str:
        """The caller's own words; masked, the question as it was understood."""
        return self.sentence(state) if self.is_masked else self.question.text

    def decided(self, state: AssetState) -> str | None:
        """Why the outcome is practically decided, or None."""
        reason = settled(self.question, state)
        if reason is None or not self.is_masked:
            return reason
        if state.hours == 0:
            return f"The market of {self.asset(state.asset)} is closed until the deadline, so the price stays at 100."
        return "The level has already been reached."
