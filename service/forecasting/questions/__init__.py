"""Understanding questions: from a sentence in any of ten languages to an event that can be forecast and resolved."""

from __future__ import annotations

from service.forecasting.questions.events import understand_event
from service.forecasting.questions.question import Comparator, Polarity, Question
from service.forecasting.questions.rule import rule
from service.forecasting.questions.understanding import understand

__all__ = ["Comparator", "Polarity", "Question", "rule", "understand", "understand_event"]
