"""Whether an exported ledger holds: every row, every link between rows, every root and its signature."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from service.ledger import export, merkle
from service.ledger.chain import GENESIS, Entry, is_whole
from service.ledger.roots import Root, is_signed


@dataclass(frozen=True)
class Verdict:
    """What was found: `rows` and `roots` that hold, `sealed` of the rows under a root, and the first fault.

    `head` is the hash of the last row, `root` the last root and `key` what signed it. `fault` is a sentence and
    `seq` the row it is about; both are None when everything holds.
    """

    rows: int
    roots: int
    sealed: int
    head: str | None
    root: str | None
    key: str | None
    fault: str | None
    seq: int | None


class _Fault(Exception):
    """What is wrong, and with which row."""

    def __init__(self, sentence: str, seq: int | None) -> None:
        super().__init__(sentence)
        self.sentence, self.seq = sentence, seq


def verify(lines: Iterable[str], key: str | None = None, root: str | None = None) -> Verdict:
    """Check the lines of an export; a `root` kept from earlier must be among them, and `key` have signed all roots.

    Rows cut off behind the last root leave no trace, nor does a ledger written anew and signed with a key of its
    own: what finds these is a `root` and a `key` that came another way.
    """
    book = _Book(key)
    try:
        for number, line in enumerate(lines, 1):
            book.add(number, line.removesuffix("\n"))
        if root is not None and all(known.root != root for known in book.roots):
            raise _Fault(f"The root {root} is not among the {len(book.roots)} roots of this ledger.", None)
    except _Fault as fault:
        return book.verdict(fault.sentence, fault.seq)
    return book.verdict(None, None)


@dataclass
class _Book:
    """What has been read so far and holds; `key` is the one that has to sign, None before any did."""

    key: str | None
    hashes: list[str] = field(default_factory=list)
    roots: list[Root] = field(default_factory=list)
    recorded_at: str = ""

    def add(self, number: int, line: str) -> None:
        seq = len(self.hashes) + 1
        try:
            read = export.read(line)
            if isinstance(read, Entry):
                self._add_row(read, seq)
            else:
                self._add_root(read)
        except (TypeError, ValueError) as error:
            raise _Fault(f"Line {number}, behind row {seq - 1}, is damaged: {error}.", seq) from None

    def _add_row(self, entry: Entry, seq: int) -> None:
        if self.roots:
            raise _Fault(f"Row {entry.seq} stands behind a root: rows come first.", entry.seq)
        if entry.seq != seq:
            raise _Fault(f"Row {seq} is missing or out of its place: row {entry.seq} stands there.", seq)
        if not is_whole(entry):
            raise _Fault(f"Row {seq} was changed: it is not what its hash was made of.", seq)
        if entry.previous != (self.hashes[-1] if self.hashes else GENESIS):
            raise _Fault(f"Row {seq} does not follow the row before it: that one has another hash.", seq)
        if entry.recorded_at < self.recorded_at:
            raise _Fault(f"Row {seq} was recorded before the row before it.", seq)
        self.hashes.append(entry.hash)
        self.recorded_at = entry.recorded_at

    def _add_root(self, root: Root) -> None:
        before = self.roots[-1] if self.roots else None
        first, previous, day = (before.last_seq + 1, before.root, before.day) if before else (1, "", "")
        if (root.first_seq, root.previous) != (first, previous) or root.day <= day:
            raise _Fault(f"The root of {root.day} does not follow the one before it: row {first} has none.", first)
        if root.last_seq > len(self.hashes):
            missing = len(self.hashes) + 1
            raise _Fault(f"Row {missing} is missing: the root of {root.day} seals row {root.last_seq}.", missing)
        if not is_signed(root):
            raise _Fault(f"The root of {root.day} was changed: it is not what its key signed.", root.last_seq)
        if root.key != (self.key or root.key):
            raise _Fault(f"The root of {root.day} is signed by another key, {root.key}.", root.last_seq)
        sealed = self.hashes[first - 1 : root.last_seq]
        if not sealed or (merkle.root(sealed), sealed[-1]) != (root.root, root.head):
            raise _Fault(f"The root of {root.day} is not that of rows {first} to {root.last_seq}.", root.last_seq)
        self.key = root.key
        self.roots.append(root)

    def verdict(self, fault: str | None, seq: int | None) -> Verdict:
        last = self.roots[-1] if self.roots else None
        return Verdict(
            rows=len(self.hashes),
            roots=len(self.roots),
            sealed=last.last_seq if last else 0,
            head=self.hashes[-1] if self.hashes else None,
            root=last.root if last else None,
            key=last.key if last else None,
            fault=fault,
            seq=seq,
        )
