"""Apex: eight layers, fused into one P(higher in 24 hours) by the rule of the pool, and how good each of them was."""

from __future__ import annotations

from service.forecasting.apex.call import EVERY_S, Call, LayerVote, consult
from service.forecasting.apex.document import ApexDocument, apex_document
from service.forecasting.apex.layers import ENGINE, Inputs
from service.forecasting.apex.scores import ResolvedCall, Scores, record_of, resolved_calls, score
from service.forecasting.apex.voter import vote

__all__ = [
    "ENGINE",
    "EVERY_S",
    "ApexDocument",
    "Call",
    "Inputs",
    "LayerVote",
    "ResolvedCall",
    "Scores",
    "apex_document",
    "consult",
    "record_of",
    "resolved_calls",
    "score",
    "vote",
]
