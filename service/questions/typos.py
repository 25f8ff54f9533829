"""Corrects words with one letter wrong, missing, doubled or swapped with its neighbour."""

from __future__ import annotations

from collections.abc import Iterable

SHORTEST = 6


class Typos:
    """Finds the word of a list that a misspelt word must mean.

    Only words of at least six letters are corrected, and only to a word with the same first letter. The words are
    indexed by their spellings with one letter left out (Garbe, "SymSpell", 2012).
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = {word for word in words if len(word) >= SHORTEST and word.isalpha()}
        self.shortened = {short: word for word in sorted(self.words) for short in _shortened(word)}

    def mend(self, written: str) -> str | None:
        """The word of the list that is one slip away from `written`, if any."""
        if not SHORTEST - 1 <= len(written) <= 16:
            return None
        tried = [self.shortened.get(written)]
        for short in _shortened(written):
            tried += [short if short in self.words else None, self.shortened.get(short)]
        return next((word for word in tried if word and _is_slip(word, written)), None)


def _shortened(word: str) -> list[str]:
    return [word[:place] + word[place + 1 :] for place in range(len(word))]


def _is_slip(word: str, written: str) -> bool:
    if word[0] != written[0]:
        return False
    if len(word) != len(written):
        return True
    wrong = [place for place in range(len(word)) if word[place] != written[place]]
    if len(wrong) == 1:
        return True
    return len(wrong) == 2 and wrong[1] == wrong[0] + 1 and word[wrong[0]] == written[wrong[1]]
