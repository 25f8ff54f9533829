"""The prompts of language models in seats, and the reading of their answers."""

from service.forecasting.voters.prompts.reading import SCHEMA, ModelAnswer, UnusableAnswer, read
from service.forecasting.voters.prompts.writing import Prompt, write

__all__ = ["SCHEMA", "ModelAnswer", "Prompt", "UnusableAnswer", "read", "write"]
