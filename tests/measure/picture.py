"""Draw the picture of the README from a real answer: `python -m tests.measure.picture > .readme/answer.svg`."""

from __future__ import annotations

import tempfile
from html import escape
from pathlib import Path

from service import logs
from tests.running_service import running_service

QUESTION = "Will Solana rise more than 5% this month?"
WIDTH, ROW = 920, 34
INK, MUTED_INK, PAPER = "#1b1f24", "#6a737d", "#ffffff"
YES, TRACK = "#0072B2", "#eaeef2"


def main() -> None:
    """Ask a fresh service and print what it answered as SVG."""
    logs.configure("error")
    with tempfile.TemporaryDirectory() as folder, running_service(Path(folder), history_days=240) as service:
        service.work()
        service.register()
        print(draw(service.ask(QUESTION).get_json()))


def draw(answer: dict) -> str:
    """An answer as a card: the question, how likely YES is, and a row for each vote."""
    parts = [*_head(answer), *_answer(answer)]
    top = 164
    for place, (name, vote) in enumerate(answer["votes"].items()):
        parts += _vote(name, vote, top + place * ROW)
    bottom = top + len(answer["votes"]) * ROW + 14
    world = f"{answer['world']} market, {answer['as_of']}. Paper research, not investment advice."
    parts.append(_text(32, bottom, world, 12, MUTED_INK))
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
    return [_text(32, 42, answer["question"], 20, INK, bold=True), _text(32, 66, f"Understood: {meant}", 13, MUTED_INK)]


def _answer(answer: dict) -> list[str]:
    """How likely YES is, in words and as a bar, and what the voters expect of the price."""
    consensus = answer["consensus"]
    view = "a rise and a fall of the price are equally likely"
    if consensus["direction"] != "NEUTRAL":
        view = f"{consensus['direction'].lower()} on the price, P(higher) {consensus['bull_probability']}%"
    return [
        *_bar(32, 84, WIDTH - 64, 14, answer["p_yes"]),
        _text(32, 128, answer["answer"], 18, INK, bold=True),
        _text(WIDTH - 32, 128, f"{consensus['oracles_count']} of 9 voted · {view}", 13, MUTED_INK, anchor="end"),
    ]


def _vote(name: str, vote: dict, y: int) -> list[str]:
    reasoning = vote["reasoning"] if len(vote["reasoning"]) <= 96 else vote["reasoning"][:95].rstrip() + "…"
    return [
        _text(32, y, name, 14, INK, bold=True),
        *_bar(136, y - 11, 104, 12, vote["p_yes"]),
        _text(250, y, f"{100 * vote['p_yes']:.1f}%", 13, INK),
        _text(306, y, reasoning, 12, MUTED_INK),
    ]


def _bar(x: int, y: int, width: int, height: int, p_yes: float) -> list[str]:
    place = f'x="{x}" y="{y}" height="{height}"'
    return [
        f'<rect {place} width="{width}" fill="{TRACK}"/>',
        f'<rect {place} width="{p_yes * width:.1f}" fill="{YES}"/>',
    ]


def _text(x: int, y: int, text: str, size: int, colour: str, *, bold: bool = False, anchor: str = "start") -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'
    )


if __name__ == "__main__":
    main()
