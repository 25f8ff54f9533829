"""The texts of the bot's code, and the catalogues brought up to date with them: `make catalogues`."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from bot.languages import FOLDER, LANGUAGES, SOURCE, TEXTS, catalogue
from service.client import ASSETS

BOT = Path(__file__).resolve().parents[2] / "bot"
CALLS = {"english": 1, "translate": 1, "translate_plural": 2, "english_words": 99}  # arguments that are texts
LABEL_WRITERS = {"button", "show", "link"}  # these translate their label, unless it is a symbol
NO_WORDS = re.compile(r"\{\w+\}|(?<!\w)/\w+")  # of a text: the names of values, and commands
TRANSLATIONS = [code for code in LANGUAGES if code != SOURCE]


def calls(tree: ast.AST) -> Iterator[tuple[str, list[ast.expr]]]:
    """The name and the texts of each call of such a function; Babel's own reader skips those in f-strings."""
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name == "english_words":
            yield from ((name, [word]) for word in node.args)
        elif isinstance(node.func, ast.Name) and name in CALLS:
            yield name, node.args[: CALLS[name]]
        elif name in LABEL_WRITERS and any(letter.isalpha() for letter in _constant(node)):
            yield name, node.args[:1]


def _constant(call: ast.Call) -> str:
    """The first argument of a call, if it is a constant text."""
    label = call.args[0] if call.args else None
    return label.value if isinstance(label, ast.Constant) and isinstance(label.value, str) else ""


def _leaves(table: Any) -> Iterator[str]:
    """Every text of a table that has words besides names in braces and commands."""
    if isinstance(table, str):
        yield from [table] if re.search(r"[^\W\d_]", NO_WORDS.sub("", table)) else []
    else:
        yield from chain(*map(_leaves, table.values() if isinstance(table, dict) else table))


def extracted() -> Catalog:
    """Every text of the bot that is translated, and each name of an asset that a catalogue has, in order."""
    texts = {(text,) for text in _leaves(TEXTS)}
    for file in BOT.rglob("*.py"):
        for _, arguments in calls(ast.parse(file.read_text(encoding="utf-8"))):
            if all(isinstance(argument, ast.Constant) for argument in arguments):
                texts.add(tuple(ast.literal_eval(argument) for argument in arguments))
    names = {message.id for message in catalogue(TRANSLATIONS[0])} & {*ASSETS.values()}
    texts_in_order = Catalog(fuzzy=False)
    for text in sorted(texts | {(name,) for name in names}):
        texts_in_order.add(text[0] if len(text) == 1 else text)
    return texts_in_order


def updated(language: str) -> str:
    """The file of a language with the texts of the code; a new text has no translation yet."""
    texts, file = catalogue(language), io.BytesIO()
    texts.update(extracted(), no_fuzzy_matching=True)
    write_po(file, texts, width=0, no_location=True, omit_header=True, sort_output=True, ignore_obsolete=True)
    return file.getvalue().decode()


def main() -> None:
    """Update every catalogue, and print how many of its texts have no translation."""
    for language in TRANSLATIONS:
        file = FOLDER / f"{language}.po"
        file.touch()
        file.write_text(updated(language), encoding="utf-8")
        print(f"{language}: {sum(not any(message.string) for message in catalogue(language) if message.id)} missing")


if __name__ == "__main__":
    main()
