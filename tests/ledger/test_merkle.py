"""The tree of RFC 6962, by published vectors and by its definition."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.ledger import roots
from service.ledger.roots import Step
from tests.ledger.independent import tree

# The inputs and roots that Certificate Transparency's own implementations are tested with.
INPUTS = (
    "",
    "00",
    "10",
    "2021",
    "3031",
    "40414243",
    "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
)
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)

leaf_lists = st.lists(st.binary(min_size=32, max_size=32).map(bytes.hex), min_size=1, max_size=40)


def audit(index: int, data: list[bytes]) -> list[tuple[str, bytes]]:
    """PATH of RFC 6962, 2.1.1, with the side of each neighbour."""
    if len(data) == 1:
        return []
    half = 1 << (len(data) - 1).bit_length() - 1
    if index < half:
        return [*audit(index, data[:half]), ("right", tree(data[half:]))]
    return [*audit(index - half, data[half:]), ("left", tree(data[:half]))]


@pytest.mark.parametrize("size", range(1, 9))
def test_the_roots_are_those_of_the_published_vectors(size: int):
    assert roots.tree_root(INPUTS[:size]) == ROOTS[size - 1]


@given(leaf_lists)
def test_a_root_is_that_of_the_definition(leaves: list[str]):
    assert roots.tree_root(leaves) == tree([bytes.fromhex(leaf) for leaf in leaves]).hex()


@given(leaf_lists, st.data())
def test_a_path_follows_the_definition_and_ends_at_the_root(leaves: list[str], data):
    index = data.draw(st.integers(0, len(leaves) - 1))
    path = roots.path(leaves, index)
    expected = audit(index, [bytes.fromhex(leaf) for leaf in leaves])
    assert [(step.side, step.hash) for step in path] == [(side, hash.hex()) for side, hash in expected]
    assert [step.side for step in path] == list(roots.sides(index, len(leaves)))
    assert roots.climb(leaves[index], path) == roots.tree_root(leaves)


@given(leaf_lists, st.data())
def test_another_leaf_or_step_gives_another_root(leaves: list[str], data):
    index = data.draw(st.integers(0, len(leaves) - 1))
    path = roots.path(leaves, index)
    assert roots.climb("ab" * 31 + leaves[index][:2], path) != roots.tree_root(leaves)
    for place, step in enumerate(path):
        other = Step("left" if step.side == "right" else "right", step.hash)
        variant = (*path[:place], other, *path[place + 1 :])
        # Two equal halves are the same tree whichever stands left.
        if roots.path(leaves, index)[place].hash != roots.climb(leaves[index], path[:place]):
            assert roots.climb(leaves[index], variant) != roots.tree_root(leaves)


def test_an_inner_node_is_not_accepted_as_a_leaf():
    """The root over two leaves differs from that over one leaf with the hash of both."""
    two = ["11" * 32, "22" * 32]
    inside = b"".join(hashlib.sha256(b"\x00" + bytes.fromhex(leaf)).digest() for leaf in two)
    assert roots.tree_root([inside.hex()]) != roots.tree_root(two)
