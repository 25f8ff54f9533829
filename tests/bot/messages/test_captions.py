"""The captions of charts."""

from __future__ import annotations

import pytest

from bot import messages
from tests.bot import documents, examples
from tests.bot.documents import HOSTILE, every_string, repeated
from tests.bot.messages.reading import texts_of


@pytest.mark.parametrize("kind", ["lanes", "lane", "strategy", "accuracy", "fund", HOSTILE * 600])
def test_a_caption_fits_for_any_document(kind):
    """The caption of a photo has at most 1,024 characters."""
    kinds = {
        "lanes": examples.BATTLE,
        "lane": documents.history(),
        "strategy": documents.strategy(),
        "fund": documents.fund(),
    }
    document = kinds.get(kind, documents.versus())
    assert "as of 2026" in texts_of(messages.caption(kind, document), messages.CAPTION)[0]
    texts_of(messages.caption(kind, every_string(repeated(document, 9), lambda _: HOSTILE * 600)), messages.CAPTION)
