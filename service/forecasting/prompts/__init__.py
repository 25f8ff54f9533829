"""What a language model in a seat is told, and what is believed of its answer."""

from service.forecasting.prompts.reading import SCHEMA, Said, Unusable, read
from service.forecasting.prompts.writing import Prompt, write

__all__ = ["SCHEMA", "Prompt", "Said", "Unusable", "read", "write"]
