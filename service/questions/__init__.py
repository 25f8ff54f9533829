"""Understands questions: a sentence in one of ten languages becomes an event that can be forecast and resolved."""

from __future__ import annotations

from service.questions.canonical import rule
from service.questions.circumstances import Circumstances
from service.questions.kinds import Comparator, Polarity
from service.questions.question import Question
from service.questions.topics import coins_to_price, read_any
from service.questions.understanding import understand

__all__ = ["Circumstances", "Comparator", "Polarity", "Question", "coins_to_price", "read_any", "rule", "understand"]
