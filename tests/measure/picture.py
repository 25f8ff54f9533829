"""Draw the picture of the README from a real answer: `python -m tests.measure.picture > .readme/answer.svg`."""

from __future__ import annotations

import tempfile
from html import escape
from pathlib import Path

from service import logs
from tests.running_service import running_service

QUESTION = "Will Solana rise more than 5% this month?"
WIDTH, ROW = 920, 34
INK, QUIET, PAPER = "#1b1f24", "#6a737d", "#ffffff"
BULL, BEAR, EVEN = "#008A63", "#C0609A", "#8b949e"
COLOUR = {"BULLISH": BULL, "BEARISH": BEAR, "NEUTRAL": EVEN}


def main() -> None:
    """Ask a fresh service and print what it answered as SVG."""
    logs.configure("error")
    with tempfile.TemporaryDirectory() as folder, running_service(Path(folder), history_days=240) as running:
        running.work()
        running.register()
        print(draw(running.ask(QUESTION).get_json()))


def draw(answer: dict) -> str:
    """An answer as a card: the question, the consensus, and a row for each vote."""
    parts = [*_head(answer), *_consensus(answer["consensus"], answer["p_yes"])]
    top = 172
    for place, (name, vote) in enumerate(answer["votes"].items()):
        parts += _vote(name, vote, top + place * ROW)
    bottom = top + len(answer["votes"]) * ROW + 14
    world = f"{answer['world']} market, {answer['as_of']}. Paper research, not investment advice."
    parts.append(_text(32, bottom, world, 12, QUIET))
    height = bottom + 24
    frame = f'viewBox="0 0 {WIDTH} {height}" font-family="system-ui, sans-serif"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {frame}>',
            f'<rect x="1" y="1" width="{WIDTH - 2}" height="{height - 2}" rx="10" fill="{PAPER}" stroke="#d0d7de"/>',
            *parts,
            "</svg>",
        ]
    )


def _head(answer: dict) -> list[str]:
    meant = answer["understood"]["canonical"]
    return [_text(32, 42, answer["question"], 20, INK, bold=True), _text(32, 66, f"Understood: {meant}", 13, QUIET)]


def _consensus(consensus: dict, p_yes: float) -> list[str]:
    colour = COLOUR[consensus["direction"]]
    split = 32 + consensus["bull_probability"] / 100 * (WIDTH - 64)
    summary = (
        f"{consensus['direction']} · {consensus['strength'].lower()} · yes {100 * p_yes:.1f}% · "
        f"{consensus['oracles_count']} of 9 voted, worth {consensus['effective_voters']} independent voters"
    )
    return [
        f'<rect x="32" y="84" width="{split - 32:.1f}" height="14" fill="{BULL}"/>',
        f'<rect x="{split:.1f}" y="84" width="{WIDTH - 32 - split:.1f}" height="14" fill="{BEAR}"/>',
        _text(32, 116, f"bull {consensus['bull_probability']}%", 12, BULL),
        _text(WIDTH - 32, 116, f"bear {consensus['bear_probability']}%", 12, BEAR, anchor="end"),
        _text(32, 142, summary, 15, colour, bold=True),
    ]


def _vote(name: str, vote: dict, y: int) -> list[str]:
    length = vote["p_yes"] * 104
    reasoning = vote["reasoning"] if len(vote["reasoning"]) <= 96 else vote["reasoning"][:95].rstrip() + "…"
    return [
        _text(32, y, name, 14, INK, bold=True),
        f'<rect x="136" y="{y - 11}" width="104" height="12" fill="#eaeef2"/>',
        f'<rect x="136" y="{y - 11}" width="{length:.1f}" height="12" fill="{COLOUR[vote["direction"]]}"/>',
        _text(250, y, f"{100 * vote['p_yes']:.1f}%", 13, INK),
        _text(306, y, reasoning, 12, QUIET),
    ]


def _text(x: int, y: int, text: str, size: int, colour: str, *, bold: bool = False, anchor: str = "start") -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'
    )


if __name__ == "__main__":
    main()
