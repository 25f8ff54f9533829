"""Findings in words: a line for each, or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from service.doctor.checks import Finding

HEADING = ("part", "works", "ms", "cost", "what")


def readable(findings: Sequence[Finding]) -> str:
    """A table, with what it is and how it is at the end of each line."""
    lines = [HEADING, *(_line(finding) for finding in findings)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    table = ("  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(line.rstrip() for line in table)


def as_json(findings: Sequence[Finding]) -> str:
    """The same as an array of objects; a cost that is not known is null."""
    return json.dumps([asdict(finding) for finding in findings], indent=2)


def _line(finding: Finding) -> tuple[str, ...]:
    works = "yes" if finding.works else "no"
    return finding.part, works, f"{finding.ms:.0f}", _cost(finding), f"{finding.what}: {finding.detail}"


def _cost(finding: Finding) -> str:
    if finding.tokens == 0:
        return "free"
    if finding.tokens is None:
        return "not told"
    most = "" if finding.works else "at most "
    return f"{most}{finding.tokens} tokens, {_price(finding.usd)}"


def _price(usd: float | None) -> str:
    if usd is None:
        return "price not known"
    return f"{usd:.4f} USD" if usd else "free"
