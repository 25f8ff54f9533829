"""Apex: eight layers fused into one P(higher in 24 hours) by the rule of the pool, and the accuracy of each."""

from __future__ import annotations

from service.forecasting.apex.call import EVERY_S, Call, LayerVote, fuse
from service.forecasting.apex.document import ApexDocument, apex_document
from service.forecasting.apex.layers import ENGINE, LayerInputs
from service.forecasting.apex.scores import ApexScores, ResolvedCall, record_of, resolved_calls, score
from service.forecasting.apex.voter import vote

__all__ = [
    "ENGINE",
    "EVERY_S",
    "ApexDocument",
    "ApexScores",
    "Call",
    "LayerInputs",
    "LayerVote",
    "ResolvedCall",
    "apex_document",
    "fuse",
    "record_of",
    "resolved_calls",
    "score",
    "vote",
]
