"""Reject names that do not say what they hold: a binding is a noun of its value, not a participle or a pronoun.

python .ci/language.py app.py service bot notebooks tests              the lint
python .ci/language.py --words app.py service bot notebooks tests      the share of bindings that are no nouns
python .ci/language.py --renew app.py service bot notebooks tests      no more of them than now are allowed

Whether a word is a noun is told by its ending and by two short lists. The words that stood in the code before the rule
are counted in `no_nouns.txt`; together they may not become more.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

REJECTED = frozenset({"told", "known", "one", "found", "said", "made", "asked", "given"})
ALLOWED = Path(__file__).with_name("no_nouns.txt")

# Words that end as participles, adverbs or adjectives do, but are nouns, or fields of published documents.
NOUNS = frozenset(
    """
    archive assembly assumed backfilled bed bid binding building cable ceiling creed crossing drawing embed embedded
    encoding engine executable expected family feed filing finding following funding greeting heading holding
    hundred iterable king landing leading listing lookup mapping meaning meeting missing negated negative
    nothing objective opening padding parsing pending polling positive pricing ranking rating reading reasoning
    remaining reply ring rolling rounding routing sampling saving scaling seating seed setting sibling signing
    simulated strict something spacing speed spelling spending spring standing string supply swing table testing thing
    timing training typing variable vocabulary warning wing wording working writing anything everything
    """.split()  # noqa: SIM905
)
# Words without such an ending that are no nouns: irregular participles, pronouns, adjectives, adverbs and verbs.
OTHERS = frozenset(
    """
    begun bought brought built caught drawn driven fallen felt gone got grown heard held kept laid led lent lost
    met paid proven seen sent shown sold spent spoken stood stuck sunk swept taken taught thought thrown
    understood won written worn all another any both each either every few many more most neither none own same
    several some such that them these they this those what which who whom whose bad broad calm clean clear
    correct deep different dry early easy empty equal fair far fine fresh full good great happy hard hot large
    late loose near nice precise quick quiet rare ready real rich safe sharp single slow small smooth soft
    sole sound steady strong sure tall thick thin tight true usual vague valid various warm weak whole
    wide worse worst wrong young again ago ahead alone already also always apart away beside besides beyond
    elsewhere enough even ever here instead meanwhile never often once otherwise perhaps quite rather seldom so
    sometimes soon still then there thus together too twice very well where ask become begin bring fetch give
    hear keep know let make say see send show take tell think want
    """.split()  # noqa: SIM905
)
ENDINGS = re.compile(r".{2,}(ed|ing|able|ible|ful|less|ous)")
# A predicate is a verb, and a name that ends in a preposition or a unit is a quantity: `is_open`, `created_at`.
PREDICATE = re.compile(r"(is|has|are|was|may|can|must|should|does|did|needs|wants|with|without|allow|allows|no|not)_.+")
QUANTITY = re.compile(r".+_(at|on|by|from|to|until|since|after|before|in|per|h|s|ms|pct|usd|mb)")
PREPOSITION = re.compile(r"_(?:of|at|on|by|from|to|until|since|after|before|in|per|for|with|without|over|than|as|and)_")


def bindings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name of a value that a module binds, with its line: variables, parameters, fields."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.arg(arg=name):
                yield node.lineno, name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node.lineno, name


def definitions(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name that a module gives to a function, a class or an import, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.alias(asname=str(name)):
                yield node.lineno, name


def not_a_noun(name: str) -> str:
    """The word that makes a name no noun; empty where it is one."""
    name = name.strip("_").lower()
    if PREDICATE.fullmatch(name) or QUANTITY.fullmatch(name):
        return ""
    word = PREPOSITION.split(name)[0].rpartition("_")[2]
    return word if word in OTHERS or (ENDINGS.fullmatch(word) and word not in NOUNS) else ""


def words_of(trees: dict[Path, ast.AST]) -> dict[str, list[str]]:
    """The places of the words that make bindings no nouns; those of nouns stand under an empty word."""
    words: dict[str, list[str]] = defaultdict(list)
    for file, tree in trees.items():
        for line, name in bindings(tree):
            words[not_a_noun(name)].append(f"{file}:{line}: `{name}`")
    return words


def rejected(trees: dict[Path, ast.AST]) -> Iterator[str]:
    """A line of text for each name that is REJECTED; underscores around it and capitals change nothing."""
    for file, tree in trees.items():
        for line, name in (*bindings(tree), *definitions(tree)):
            if name.strip("_").lower() in REJECTED:
                yield f"{file}:{line}: `{name}` does not say what it holds; use the noun of its value"


def no_nouns(words: dict[str, list[str]], allowed: Counter[str]) -> Iterator[str]:
    """Where more bindings than allowed are no nouns, the places of the words that have become more."""
    if sum(map(len, words.values())) <= allowed.total():
        return
    for word, places in words.items():
        for place in places if len(places) > allowed[word] else ():
            yield f"{place}: `{word}` is no noun, and stands in {len(places)} places, formerly in {allowed[word]}"


def main(arguments: list[str]) -> int:
    """Check every file at or below some paths, or do what the option says; 1 if a name is rejected."""
    option, paths = (arguments[0], arguments[1:]) if arguments[0].startswith("--") else ("", arguments)
    files = [file for path in map(Path, paths) for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
    trees: dict[Path, ast.AST] = {file: ast.parse(file.read_text(encoding="utf-8")) for file in files}
    words = words_of(trees)
    nouns = len(words.pop("", ()))
    counts = Counter({word: len(places) for word, places in words.items()})
    lines = [line.split() for line in ALLOWED.read_text(encoding="utf-8").splitlines()] if ALLOWED.exists() else []
    allowed = Counter({word: int(number) for number, word in lines}) or counts
    if option == "--words":
        every = counts.total() + nouns
        print(f"{counts.total():,} of {every:,} bindings are no nouns: {counts.total() / every:.1%}")
        for word, number in counts.most_common(60):
            print(f"{number:6} {word}")
    elif option == "--renew":
        fewer = counts if counts.total() < allowed.total() else allowed
        ALLOWED.write_text("".join(f"{number} {word}\n" for word, number in sorted(fewer.items())), encoding="utf-8")
    else:
        faults = [*rejected(trees), *no_nouns(words, allowed)]
        print("\n".join(faults) or f"{len(files)} files: every binding says what it holds")
        return bool(faults)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
