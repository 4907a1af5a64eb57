import base64
import csv
import io
import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from report_cases import ODD, cases, evaluated, known, library, oddly_named

from ourmodels_gui import scenario
from ourmodels_gui.evaluation import run
from ourmodels_gui.report.build import build
from ourmodels_gui.report.csv_tables import to_csv
from ourmodels_gui.report.html import to_html
from ourmodels_gui.report.markdown import to_markdown
from ourmodels_gui.report.shapes import Options, Table

VOID = {"meta", "img", "br", "link"}


@pytest.fixture(scope="module")
def reports():
    held = {name: build(evaluated(name), known()) for name in cases()}
    held["odd"] = build([run(oddly_named(), library())], known(), Options(note=ODD, author=ODD))
    return held


NAMES = [*cases(), "odd"]


class Page(HTMLParser):
    """Text and links of a page; fails where a tag is not closed in its turn."""

    def __init__(self, source):
        super().__init__()
        self.open, self.text, self.tags, self.attributes = [], [], [], []
        self.feed(source)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("name", NAMES)
def test_html_is_well_formed_and_asks_for_nothing_from_elsewhere(reports, name):
    page = Page(to_html(reports[name]).decode())
    assert "script" not in page.tags
    targets = [value for key, value in page.attributes if key in ("src", "href")]
    assert targets and all(value.startswith("data:") for value in targets)


@pytest.mark.parametrize("name", NAMES)
def test_html_says_every_cell(reports, name):
    said = " ".join(" ".join(Page(to_html(reports[name]).decode()).text).split())
    for section in reports[name].sections:
        for block in section.blocks:
            if isinstance(block, Table):
                for text in (text for row in block.rows for text in row):
                    assert " ".join(text.split()) in said


def test_html_gives_the_scenario_back(reports):
    page = Page(to_html(reports["odd"]).decode())
    (link,) = [value for key, value in page.attributes if key == "href"]
    assert scenario.read(base64.b64decode(link.partition(",")[2])) == oddly_named()


def test_html_names_of_any_kind_stay_text(reports):
    source = to_html(reports["odd"]).decode()
    assert "<b>*_" not in source and "&lt;b&gt;*_" in source


@pytest.mark.parametrize("name", NAMES)
def test_markdown_tables_are_read_as_tables(reports, name):
    source = to_markdown(reports[name]).decode()
    html = MarkdownIt("commonmark").enable("table").render(source)
    rows = len(re.findall("<tr>", html))
    names = set()
    for section in reports[name].sections:
        for block in section.blocks:
            held = getattr(block, "table", block)
            if isinstance(held, Table) and held.name not in names:
                names.add(held.name)
                rows -= 1 + len(held.rows)
    assert rows == 0


def test_markdown_gives_the_scenario_back(reports):
    blocks = [
        t for t in MarkdownIt().parse(to_markdown(reports["odd"]).decode()) if t.type == "fence"
    ]
    assert [scenario.read(block.content) for block in blocks] == [oddly_named()]


def test_markdown_names_of_any_kind_stay_text(reports):
    tokens = MarkdownIt().parse(to_markdown(reports["odd"]).decode())
    heading = tokens[1]
    assert heading.type == "inline" and tokens[0].tag == "h1"
    assert "".join(t.content for t in heading.children) == " ".join(ODD.split())


@pytest.mark.parametrize("name", NAMES)
def test_csv_holds_every_table(reports, name):
    data = to_csv(reports[name])
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))
    heads = [rows[place + 1][0] for place, row in enumerate(rows) if row == []]
    assert heads[0] == "ranking" and "assumptions" in heads and len(set(heads)) == len(heads)
    ranking = rows.index(next(row for row in rows if row and row[0] == "ranking"))
    wanted = next(b for b in reports[name].sections[0].blocks if isinstance(b, Table))
    assert rows[ranking + 2][2:] == list(wanted.rows[0][2:])


def test_csv_formulas_are_not_computed_by_a_spreadsheet():
    odd = build([run(oddly_named("=HYPERLINK(1)"), library())], known())
    cells = [cell for row in csv.reader(io.StringIO(to_csv(odd).decode())) for cell in row]
    assert "'=HYPERLINK(1)" in cells
    assert not [cell for cell in cells if cell.startswith("=")]
