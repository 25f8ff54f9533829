"""The prompts of language models in seats, and the reading of their answers."""
