"""What a row of right answers is worth: how long one is by luck alone."""

from __future__ import annotations

SURE_ENOUGH = 1e-9


def best_of_flippers(flippers: int, questions: int) -> float:
    """The longest run of right answers that the best of so many coin flippers is expected to have, exactly.

    The sum over k of 1 - P(one flipper never gets beyond k) ** flippers, until what is left out is under 1e-9.

    >>> round(best_of_flippers(9, 50), 1)
    8.0
    """
    expected, longest = 0.0, 0
    while longest < questions:
        beyond = 1 - never_beyond(longest, questions) ** flippers
        if beyond < SURE_ENOUGH:
            break
        expected, longest = expected + beyond, longest + 1
    return expected


def never_beyond(longest: int, flips: int) -> float:
    """The probability that so many flips of a coin hold no run of heads longer than `longest` (Feller 1968, XIII.7).

    f(n) = f(n - 1) - f(n - longest - 2) / 2**(longest + 2): the last flip ends a first run too long only after a
    tail and `longest` heads.
    """
    found = [1.0] * (longest + 1) + [1 - 0.5 ** (longest + 1)]
    for n in range(longest + 2, flips + 1):
        found.append(found[n - 1] - found[n - longest - 2] * 0.5 ** (longest + 2))
    return found[flips]
