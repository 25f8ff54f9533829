"""Verification of an exported ledger: every row, link and commitment, every root and its signature."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from service import canonical
from service.ledger import timestamps
from service.ledger.chain import GENESIS, ChainEntry, RewindCheck, is_rewinding, is_whole, line
from service.ledger.commitments import CommitmentCheck, InputsCheck, read_hashes
from service.ledger.roots import Root, is_signed, successor, tree_root
from service.ledger.timestamps import Timestamp

# The content of a line by its field `type`.
KINDS = {"row": ChainEntry, "root": Root, "timestamp": Timestamp}
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)


@dataclass(frozen=True)
class Verification:
    """The result: the number of valid `rows` and `roots`, of `sealed` rows under a root, and the first fault.

    `head` is the hash of the last row, `root` the last root and `key` its public key, which follows from the first one
    by the hand-overs in the ledger. `fault` is a sentence and `seq` the row it is about; both are None when the ledger
    is valid. Of the `forecasts` that rows commit to by a salted hash, `revealed` ones match their hash, and `withheld`
    ones are hidden although their market is settled. Of the `votes` that commit to the inputs of the voters, those
    `with_inputs` match inputs that were given; `unused` inputs are of no vote. `rewinds` counts how often the
    world was taken back to a backup, and `taken_back` the rows that do not count because of it; the earliest of them
    was recorded at `taken_back_since`. `timestamps` were read; `stamped_seq` is the last row under one.
    """

    rows: int
    roots: int
    sealed: int
    head: str | None
    root: str | None
    key: str | None
    fault: str | None
    seq: int | None
    forecasts: int = 0
    revealed: int = 0
    withheld: int = 0
    votes: int = 0
    with_inputs: int = 0
    unused: int = 0
    rewinds: int = 0
    taken_back: int = 0
    taken_back_since: str | None = None
    timestamps: int = 0
    stamped_seq: int = 0


class _Fault(Exception):
    """A fault as a sentence, and the row it is about."""

    def __init__(self, sentence: str, seq: int | None) -> None:
        super().__init__(sentence)
        self.sentence, self.seq = sentence, seq


def verify(
    lines: Iterable[str],
    key: str | None = None,
    root: str | None = None,
    inputs: Iterable[str] = (),
    *,
    certificates: bytes | None = None,
    after: Root | None = None,
) -> Verification:
    """Verify the lines of an export; `root` must be one of its roots.

    `key` must have signed all of them, or those up to or from a hand-over that the ledger records.

    `inputs` are rows of `/api/v1/features` as lines of JSON; each must match its hash. `certificates` are the PEM of
    the authorities that may have made timestamps, empty for any; None leaves timestamps unread. Where the lines are
    those `after` a root, which was verified before, commitments are not followed.

    Two changes cannot be found in the export itself: rows removed after the last root, and a ledger that was rewritten
    and signed with another key. Compare with a `root` and a `key` from another source to find them.
    """
    part = _VerifiedPart(key, certificates, after)
    try:
        part.inputs = InputsCheck(read_hashes(inputs))
    except ValueError as error:
        return part.result(str(error), None)
    try:
        for number, line in enumerate(lines, 1):
            part.add(number, line.removesuffix("\n"))
        if sentence := part.rewind_check.finish():
            raise _Fault(sentence, len(part.hashes))
        if part.roots and key is not None and all(seal.key != key for seal in part.roots):
            raise _Fault(f"No root is signed by the key {key} yet: it was only named as a successor.", None)
        if root is not None and all(seal.root != root for seal in part.roots):
            raise _Fault(f"The root {root} is not among the {len(part.roots)} roots of this ledger.", None)
    except _Fault as fault:
        return part.result(fault.sentence, fault.seq)
    return part.result(None, None)


def read(text: str) -> ChainEntry | Root | Timestamp:
    """The content of a line of an export. Raises ValueError when it has none, or is not in canonical form."""
    try:
        fields = canonical.read(text)
        type_ = fields.pop("type")
        if line(type_, fields) != text:
            raise ValueError("not in canonical form")
        return KINDS[type_](**fields)
    except (AttributeError, KeyError, TypeError, RecursionError):
        raise ValueError("neither a row nor a root nor a timestamp") from None


@dataclass
class _VerifiedPart:
    """The rows and roots verified so far; `key` is the required public key, None where any may have signed.

    `handovers` are the row, the key before and the key after of each hand-over.
    """

    key: str | None
    certificates: bytes | None
    after: Root | None
    handovers: list[tuple[int, str, str]] = field(default_factory=list)
    hashes: list[str] = field(default_factory=list)
    roots: list[Root] = field(default_factory=list)
    recorded_at: str = ""
    rewind_check: RewindCheck = field(default_factory=RewindCheck)
    commitments: CommitmentCheck = field(default_factory=CommitmentCheck)
    inputs: InputsCheck = field(default_factory=lambda: InputsCheck(set()))
    timestamps: int = 0
    stamped_seq: int = 0

    @property
    def offset(self) -> int:
        """The number of rows before the first one."""
        return self.after.last_seq if self.after else 0

    @property
    def last_root(self) -> Root | None:
        return self.roots[-1] if self.roots else self.after

    def add(self, number: int, line: str) -> None:
        seq = self.offset + len(self.hashes) + 1
        try:
            content = read(line)
            if isinstance(content, ChainEntry):
                self._add_row(content, seq)
            elif isinstance(content, Root):
                self._add_root(content)
            else:
                self._add_timestamp(content)
        except (TypeError, ValueError) as error:
            raise _Fault(f"Line {number}, after row {seq - 1}, is damaged: {error}.", seq) from None

    def _add_row(self, entry: ChainEntry, seq: int) -> None:
        if self.roots:
            raise _Fault(f"Row {entry.seq} follows a root: all rows must precede the roots.", entry.seq)
        if entry.seq != seq:
            raise _Fault(f"Row {seq} is missing or out of place: row {entry.seq} is in its position.", seq)
        if not is_whole(entry):
            raise _Fault(f"Row {seq} was changed: its hash does not match its content.", seq)
        if entry.previous != (self.hashes[-1] if self.hashes else self.after.head if self.after else GENESIS):
            raise _Fault(f"Row {seq} does not follow the previous row, which has another hash.", seq)
        if not INSTANT.fullmatch(entry.recorded_at):
            raise _Fault(f"Row {seq} has an invalid time: {entry.recorded_at!r}.", seq)
        if entry.recorded_at < self.recorded_at and not is_rewinding(entry):
            raise _Fault(f"Row {seq} has an earlier time than the previous row.", seq)
        if self.after is None and (sentence := self.rewind_check.add(entry) or self.commitments.add(entry)):
            raise _Fault(sentence, seq)
        if entry.kind == "handover":
            keys = successor(entry)
            if keys is None:
                raise _Fault(f"Row {seq} hands the ledger over without the signature of the key before.", seq)
            self.handovers.append((seq, *keys))
        self.inputs.add(entry)
        self.hashes.append(entry.hash)
        self.recorded_at = entry.recorded_at

    def _signers(self, root: Root) -> list[str]:
        """The keys that the ledger was handed to from the key of this root on, which comes first."""
        keys = [root.key]
        for seq, before, after in self.handovers:
            if seq > root.last_seq and before == keys[-1]:
                keys.append(after)
        return keys

    def _add_root(self, root: Root) -> None:
        before = self.last_root
        first, root_before, day = (before.last_seq + 1, before.root, before.day) if before else (1, "", "")
        if (root.first_seq, root.previous) != (first, root_before) or root.day <= day:
            raise _Fault(f"The root of {root.day} does not follow the previous root: row {first} has no root.", first)
        if root.last_seq > self.offset + len(self.hashes):
            missing = self.offset + len(self.hashes) + 1
            raise _Fault(f"Row {missing} is missing: the root of {root.day} seals row {root.last_seq}.", missing)
        if not is_signed(root):
            raise _Fault(f"The root of {root.day} was changed: its signature does not match.", root.last_seq)
        if not self._may_sign(root):
            raise _Fault(f"The root of {root.day} is signed by another key, {root.key}.", root.last_seq)
        hashes = self.hashes[first - 1 - self.offset : root.last_seq - self.offset]
        if not hashes or (tree_root(hashes), hashes[-1]) != (root.root, root.head):
            raise _Fault(f"The root of {root.day} does not match rows {first} to {root.last_seq}.", root.last_seq)
        self.roots.append(root)

    def _add_timestamp(self, timestamp: Timestamp) -> None:
        root = next((root for root in self.roots if root.day == timestamp.day), None)
        if root is None:
            raise _Fault(f"The root of {timestamp.day} is missing: {timestamp.authority} made a timestamp of it.", None)
        if self.certificates is None:
            return
        if sentence := timestamps.fault(timestamp, root, self.certificates):
            raise _Fault(sentence, root.last_seq)
        self.timestamps += 1
        self.stamped_seq = max(self.stamped_seq, root.last_seq)

    def _may_sign(self, root: Root) -> bool:
        """Whether the key of a root follows from that of the root before, and leads to the required one."""
        before = self.last_root
        if before is None:
            return self.key is None or self.key in self._signers(root)
        successors = [after for seq, _, after in self.handovers if before.last_seq < seq <= root.last_seq]
        return root.key == (successors[-1] if successors else before.key) and root.key in self._signers(before)

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
            forecasts=len(self.commitments.forecasts),
            revealed=len(self.commitments.reveals),
            withheld=self.commitments.withheld,
            votes=len(self.inputs.is_given),
            with_inputs=sum(self.inputs.is_given.values()),
            unused=len(self.inputs.hashes - self.inputs.hashes_of_votes),
            rewinds=self.rewind_check.rewinds,
            taken_back=self.rewind_check.taken_back,
            taken_back_since=self.rewind_check.earliest,
            timestamps=self.timestamps,
            stamped_seq=self.stamped_seq,
        )
