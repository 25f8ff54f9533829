"""The settings of `make lab`."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebooks import settings
from notebooks.settings import LabSettings, LaunchError


def test_the_defaults_are_those_of_the_readme():
    expected = LabSettings(8888, "http://127.0.0.1:8000", "", Path("var").absolute(), True)
    assert settings.read({}) == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [("LAB_PORT", "0"), ("LAB_PORT", "x"), ("ORACLE_URL", "127.0.0.1:8000"), ("ORACLE_URL", "http://a:99999")],
)
def test_an_invalid_option_is_named(name: str, value: str):
    with pytest.raises(LaunchError, match=f"{name} is '{value}'"):
        settings.read({name: value})


def test_an_empty_option_counts_as_unset():
    assert settings.read({"LAB_PORT": "", "ORACLE_URL": "", "DATA_DIR": ""}) == settings.read({})


@pytest.mark.parametrize(
    ("address", "is_local"),
    [
        ("http://127.0.0.1:8000", True),
        ("http://localhost:8000/", True),
        ("https://localhost", False),
        ("http://127.0.0.1:8000/ninefold", False),
        ("http://oracle.example.com", False),
    ],
)
def test_only_a_service_of_this_machine_is_local(address: str, is_local: bool):
    """It can be started here; one behind a proxy cannot."""
    assert LabSettings(8888, address).is_local == is_local
