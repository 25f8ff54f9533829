"""Refuse a package of the given requirements under the GPL or the AGPL, which a product under MIT cannot carry.

    python .ci/licences.py requirements.txt

The packages must be installed; one that is not, because it is for another system, is named and passed over.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

# The Lesser GPL asks nothing of a program that imports the package unchanged.
FORBIDDEN = re.compile(r"(?<!lesser )(?<!l)(?:\bA?GPL|General Public License)", re.IGNORECASE)


def licences(name: str) -> list[str]:
    """What an installed package says of its licence; in brief where it says so, else the first line of the text."""
    fields = metadata(name)
    expression = fields.get("License-Expression")
    classifiers = [line for line in fields.get_all("Classifier", []) if line.startswith("License ::")]
    return [expression] if expression else classifiers or [fields.get("License", "").partition("\n")[0]]


def main(files: list[str]) -> int:
    """The number of packages that are refused, each with its licence."""
    names = {name for file in files for name in re.findall(r"^([\w.-]+)==", Path(file).read_text(), re.MULTILINE)}
    refused = 0
    for name in sorted(names):
        try:
            texts = licences(name)
        except PackageNotFoundError:
            print(f"{name} is not installed here", file=sys.stderr)
            continue
        for text in texts:
            options = re.split(r"\s+OR\s+", text)  # one of them can be chosen
            if all(FORBIDDEN.search(option) for option in options):
                print(f"{name}: {text}")
                refused += 1
    return refused


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
