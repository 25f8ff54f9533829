"""The HTML of the public pages."""

from __future__ import annotations

import re

from notebooks.public_pages.catalogue import TOPICS, PageTopic, PublicPage
from notebooks.public_pages.markup import Shown, chart_page, home_page, missing_page, style_sheet
from notebooks.widgets.base.theme import PALETTES

STATE = Shown("SIMULATED market", conclusion="A <leads> & B", height=700, version="v1", table="<table></table>")
PAGES = (PublicPage("a", "7 days", lambda: None), PublicPage("b", "30 days", lambda: None))
TOPIC = PageTopic("Lanes & more", "Six lanes.", PAGES)


def page(state: Shown = STATE) -> str:
    return chart_page([TOPIC], TOPIC, PAGES[0], state, "plotly-4.js")


def test_text_of_the_service_is_escaped():
    assert "A &lt;leads&gt; &amp; B" in page()
    assert "<leads>" not in page()
    assert "<leads>" not in home_page([(TOPIC, STATE)])


def test_a_page_loads_only_from_its_own_site():
    """Every address is relative, so the site also works below a path of a reverse proxy."""
    for html in (page(), home_page([(TOPIC, STATE)]), missing_page(TOPICS)):
        addresses = re.findall(r'(?:src|href|data-light|data-dark)="([^"]*)"', html)
        assert addresses
        assert not [address for address in addresses if address.startswith(("/", "http"))]


def test_a_page_links_the_others_of_its_topic():
    assert '<a href="a.html" aria-current=page>7 days</a><a href="b.html">30 days</a>' in page()
    topic = PageTopic("Lanes", "Six lanes.", PAGES[:1])
    assert "7 days</a>" not in chart_page([topic], topic, PAGES[0], STATE, "plotly-4.js")


def test_a_reader_without_scripts_gets_the_conclusion():
    assert "<noscript><p>A &lt;leads&gt; &amp; B</p>" in page()


def test_a_page_without_a_document_has_neither_chart_nor_data():
    html = page(Shown("Not yet.", is_alarm=True))
    assert 'class="alarm" role=status>Not yet.' in html
    assert "id=chart" not in html
    assert "<details>" not in html


def test_the_style_sheet_has_the_colours_of_both_themes():
    sheet = style_sheet("body {}")
    light, dark = sheet.split("@media (prefers-color-scheme: dark)")
    assert PALETTES["light"].ink in light
    assert PALETTES["dark"].ink in dark
