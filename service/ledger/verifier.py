"""Verification of an exported ledger: every row, every link between rows, every root and its signature."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from service.ledger import export, merkle
from service.ledger.chain import GENESIS, ChainEntry, is_whole
from service.ledger.roots import Root, is_signed


@dataclass(frozen=True)
class Verification:
    """The result: the number of valid `rows` and `roots`, of `sealed` rows under a root, and the first fault.

    `head` is the hash of the last row, `root` the last root and `key` its public key. `fault` is a sentence and `seq`
    the row it is about; both are None when the ledger is valid.
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
    """A fault as a sentence, and the row it is about."""

    def __init__(self, sentence: str, seq: int | None) -> None:
        super().__init__(sentence)
        self.sentence, self.seq = sentence, seq


def verify(lines: Iterable[str], key: str | None = None, root: str | None = None) -> Verification:
    """Verify the lines of an export; `root` must be one of its roots, and `key` must have signed all of them.

    Two changes cannot be found in the export itself: rows removed after the last root, and a ledger that was rewritten
    and signed with another key. Compare with a `root` and a `key` from another source to find them.
    """
    verified = _VerifiedPart(key)
    try:
        for number, line in enumerate(lines, 1):
            verified.add(number, line.removesuffix("\n"))
        if root is not None and all(seal.root != root for seal in verified.roots):
            raise _Fault(f"The root {root} is not among the {len(verified.roots)} roots of this ledger.", None)
    except _Fault as fault:
        return verified.result(fault.sentence, fault.seq)
    return verified.result(None, None)


@dataclass
class _VerifiedPart:
    """The rows and roots verified so far; `key` is the required public key, None before the first root."""

    key: str | None
    hashes: list[str] = field(default_factory=list)
    roots: list[Root] = field(default_factory=list)
    recorded_at: str = ""

    def add(self, number: int, line: str) -> None:
        seq = len(self.hashes) + 1
        try:
            read = export.read(line)
            if isinstance(read, ChainEntry):
                self._add_row(read, seq)
            else:
                self._add_root(read)
        except (TypeError, ValueError) as error:
            raise _Fault(f"Line {number}, after row {seq - 1}, is damaged: {error}.", seq) from None

    def _add_row(self, entry: ChainEntry, seq: int) -> None:
        if self.roots:
            raise _Fault(f"Row {entry.seq} follows a root: all rows must precede the roots.", entry.seq)
        if entry.seq != seq:
            raise _Fault(f"Row {seq} is missing or out of place: row {entry.seq} is in its position.", seq)
        if not is_whole(entry):
            raise _Fault(f"Row {seq} was changed: its hash does not match its content.", seq)
        if entry.previous != (self.hashes[-1] if self.hashes else GENESIS):
            raise _Fault(f"Row {seq} does not follow the previous row, which has another hash.", seq)
        if entry.recorded_at < self.recorded_at:
            raise _Fault(f"Row {seq} has an earlier time than the previous row.", seq)
        self.hashes.append(entry.hash)
        self.recorded_at = entry.recorded_at

    def _add_root(self, root: Root) -> None:
        before = self.roots[-1] if self.roots else None
        first, previous, day = (before.last_seq + 1, before.root, before.day) if before else (1, "", "")
        if (root.first_seq, root.previous) != (first, previous) or root.day <= day:
            raise _Fault(f"The root of {root.day} does not follow the previous root: row {first} has no root.", first)
        if root.last_seq > len(self.hashes):
            missing = len(self.hashes) + 1
            raise _Fault(f"Row {missing} is missing: the root of {root.day} seals row {root.last_seq}.", missing)
        if not is_signed(root):
            raise _Fault(f"The root of {root.day} was changed: its signature does not match.", root.last_seq)
        if root.key != (self.key or root.key):
            raise _Fault(f"The root of {root.day} is signed by another key, {root.key}.", root.last_seq)
        sealed = self.hashes[first - 1 : root.last_seq]
        if not sealed or (merkle.root(sealed), sealed[-1]) != (root.root, root.head):
            raise _Fault(f"The root of {root.day} does not match rows {first} to {root.last_seq}.", root.last_seq)
        self.key = root.key
        self.roots.append(root)

    def result(self, fault: str | None, seq: int | None) -> Verification:
        last = self.roots[-1] if self.roots else None
        return Verification(
            rows=len(self.hashes),
            roots=len(self.roots),
            sealed=last.last_seq if last else 0,
            head=self.hashes[-1] if self.hashes else None,
            root=last.root if last else None,
            key=last.key if last else None,
            fault=fault,
            seq=seq,
        )
