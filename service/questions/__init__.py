"""Understands questions: a sentence in one of ten languages becomes an event that can be forecast and resolved."""

from __future__ import annotations

from service.questions.events import understand_event
from service.questions.question import Comparator, Polarity, Question
from service.questions.rule import rule
from service.questions.understanding import understand

__all__ = ["Comparator", "Polarity", "Question", "rule", "understand", "understand_event"]
