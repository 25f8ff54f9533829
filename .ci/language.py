"""Reject names that do not say what they hold: a binding is the noun of its value.

python .ci/language.py service bot notebooks tests
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

REJECTED = frozenset({"told", "known", "one", "found", "said", "made", "asked", "given"})


def bindings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name that a module binds, with its line: variables, parameters, fields, functions, classes, aliases."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.arg(arg=name):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node.lineno, name
            case ast.alias(asname=str(name)):
                yield node.lineno, name


def violations(file: Path) -> Iterator[str]:
    """A line of text for each rejected binding of a file; underscores around a name and capitals change nothing."""
    for line, name in bindings(ast.parse(file.read_text(encoding="utf-8"))):
        if name.strip("_").lower() in REJECTED:
            yield f"{file}:{line}: `{name}` does not say what it holds; use the noun of its value"


def files_of(path: Path) -> list[Path]:
    """The Python files at or below a path."""
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def main(paths: list[str]) -> int:
    """Print every violation at or below `paths`; 1 if there is one."""
    files = [file for path in paths for file in files_of(Path(path))]
    rejected = [violation for file in files for violation in violations(file)]
    print("\n".join(rejected) or f"{len(files)} files: every binding says what it holds")
    return bool(rejected)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
