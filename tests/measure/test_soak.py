from __future__ import annotations

from xml.etree import ElementTree

from tests.measure.soak import TROUBLE, row_of
from tests.processes import ROOT

REPORT = """
<testsuites><testsuite>
  <testcase name="kills[sqlite]"><properties><property name="tried" value="1000"/></properties></testcase>
  <testcase name="kills[postgresql]"><properties><property name="tried" value="1000"/></properties>
    <failure message="AssertionError: FAULT_SEED=7"/></testcase>
  <testcase name="control"/>
  <testcase name="restart"><error/></testcase>
</testsuite></testsuites>
"""


def test_a_row_counts_what_the_tests_report():
    """And says why a test failed, such as the seed that repeats it."""
    row = row_of("kills", ElementTree.fromstring(REPORT), 61.4)
    assert (row.tried, row.failed) == (2000, ("kills[postgresql] AssertionError: FAULT_SEED=7", "restart"))
    assert str(row).split() == ["kills", "2,000", "2", "61"]


def test_tests_that_report_nothing_count_as_one_each():
    report = ElementTree.fromstring("<testsuite><testcase name='a'/><testcase name='b'/></testsuite>")
    assert (row_of("faults", report, 1.0).tried, row_of("faults", report, 1.0).failed) == (2, ())


def test_every_file_of_the_soak_exists():
    assert not [file for files in TROUBLE.values() for file in files if not (ROOT / file).exists()]
