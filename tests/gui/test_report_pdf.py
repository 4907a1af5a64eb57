"""The PDF, taken apart by pypdf, and by poppler and qpdf where they are installed."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import msgspec
import numpy as np
import pypdf
import pytest
from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QColor, QImage

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))
from report_cases import ODD, cases, evaluated, known, library, oddly_named

from ourmodels_gui import scenario
from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.report.lettering import POINT, Lines, Type, direction, printable
from ourmodels_gui.gui.report.maker import picture
from ourmodels_gui.gui.report.pages import FOOT, SIDE, TOP, Pages
from ourmodels_gui.gui.report.pdf import to_pdf
from ourmodels_gui.gui.report.sheet import _levelled
from ourmodels_gui.report.assumptions import value_text
from ourmodels_gui.report.build import build
from ourmodels_gui.report.pdf_file import scenarios
from ourmodels_gui.report.shapes import Figure, Options, Table

NAMES = [*cases(), "odd"]
OPTIONS = Options(author="Ann Example", note="Our own words.", logo=b"")


def tool(name):
    return pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")


def output(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode()


@pytest.fixture(scope="module")
def reports():
    held = {name: build(evaluated(name), known(), OPTIONS) for name in cases()}
    held["odd"] = build([run(oddly_named(), library())], known(), Options(note=ODD, author=ODD))
    return held


@pytest.fixture(scope="module")
def files(reports, qapp, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    for name, report in reports.items():
        (folder / f"{name}.pdf").write_bytes(to_pdf(report))
    return {name: folder / f"{name}.pdf" for name in reports}


def squeezed(text):
    """Without spaces, and with Arabic letters in their plain form: lines break anywhere."""
    return re.sub(r"[\s\u00ad]+", "", unicodedata.normalize("NFKC", text))


def cells(report):
    for section in report.sections:
        for block in section.blocks:
            if isinstance(block, Table):
                yield from (text for row in block.rows for text in row)


@tool("pdftotext")
@pytest.mark.parametrize("name", cases())
def test_pdftotext_finds_every_assumption_and_every_figure(files, reports, name):
    status, said, _ = output("pdftotext", "-raw", files[name], "-")
    said = squeezed(said)
    assert status == 0
    for evaluation in evaluated(name):
        for told in evaluation.result.assumptions:
            for part in (told.name, value_text(told), told.unit, told.source):
                assert squeezed(part) in said, part
    for text in cells(reports[name]):
        for line in text.split("\n"):
            assert squeezed(line) in said, line


@tool("pdftotext")
@pytest.mark.parametrize("name", cases())
def test_the_ranking_of_the_pdf_is_that_of_evaluate_as_printed(files, reports, name):
    """The rows as whole lines, figure beside figure."""
    _, said, _ = output("pdftotext", "-layout", files[name], "-")
    lines = [squeezed(line) for line in said.splitlines()]
    ranking = next(b for b in reports[name].sections[0].blocks if isinstance(b, Table))
    for row in ranking.rows:
        assert any(line.endswith(squeezed("".join(row[3:]))) for line in lines), row


@tool("pdfdetach")
@pytest.mark.parametrize("name", NAMES)
def test_pdfdetach_gives_back_what_went_in(files, name, tmp_path):
    status, _, error = output("pdfdetach", "-saveall", "-o", tmp_path, files[name])
    assert status == 0, error
    went_in = cases().get(name) or (oddly_named(),)
    for place, chosen in enumerate(went_in, 1):
        suffix = "" if place == 1 else f"-{place}"
        assert scenario.read_file(tmp_path / f"scenario{suffix}.ourmodels.json") == chosen
    assert len(list(tmp_path.iterdir())) == len(went_in)


@tool("pdffonts")
@pytest.mark.parametrize("name", NAMES)
def test_every_font_is_embedded_as_a_subset_with_its_letters(files, name):
    _, listed, _ = output("pdffonts", files[name])
    fonts = listed.splitlines()[2:]
    assert fonts
    for line in fonts:
        embedded, _, unicode = line.split()[-5:-2]
        assert (embedded, unicode) == ("yes", "yes"), line


@tool("qpdf")
@pytest.mark.parametrize("name", NAMES)
def test_qpdf_finds_nothing(files, name):
    status, said, error = output("qpdf", "--check", files[name])
    assert status == 0 and "WARNING" not in said + error, said + error


@pytest.mark.parametrize("name", ["one", "odd"])
def test_bookmarks_lead_to_every_section(files, reports, name):
    reader = pypdf.PdfReader(files[name])
    top, *below = reader.outline
    assert top.title == reports[name].title
    (inside,) = below
    assert [mark.title for mark in inside] == [found.title for found in reports[name].sections]
    texts = [squeezed(page.extract_text()) for page in reader.pages]
    for mark in inside:
        assert squeezed(mark.title) in texts[reader.get_destination_page_number(mark)]


@pytest.mark.parametrize("name", NAMES)
def test_metadata_name_title_and_author_and_no_moment(files, reports, name):
    reader = pypdf.PdfReader(files[name])
    assert reader.metadata.title == reports[name].title
    assert reader.metadata.author == reports[name].author
    assert not {"/CreationDate", "/ModDate"} & set(reader.metadata)
    data = files[name].read_bytes()
    assert b"CreateDate" not in data and b"xmp:" not in data
    assert reader.trailer["/Root"]["/Lang"] == "en"


def test_equal_reports_are_equal_files_in_any_process(files):
    """Qt orders fonts by chance of its hash seed."""
    code = (
        "import sys; sys.path[:0] = [sys.argv[1]]; import hashlib; from test_report_pdf import *;"
        "from PySide6.QtGui import QGuiApplication;"
        "app = QGuiApplication([]); report = build(evaluated('one'), known(), OPTIONS);"
        "print(hashlib.sha256(to_pdf(report)).hexdigest())"
    )
    here = hashlib.sha256(files["one"].read_bytes()).hexdigest()
    for seed in ("0", "1"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "QT_QPA_PLATFORM": "offscreen"}
        if seed == "0":
            environment["QT_HASH_SEED"] = "0"
        done = subprocess.run(
            [sys.executable, "-c", code, str(Path(__file__).parent)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout.split() == [here], done.stderr


@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("name", NAMES)
def test_pages_hold_their_pieces_and_none_is_empty(reports, qapp, name, paper):
    pages = Pages(msgspec.structs.replace(reports[name], paper=paper))
    bottom = (pages.size_points.height() - FOOT) * POINT
    for placed in pages.pages:
        assert placed
        at = 0.0
        for piece, y in placed:
            assert y >= at - 0.01, "two pieces overlap"
            at = y + piece.height
            assert at <= bottom + 0.01, "a piece is cut by the foot of the page"
        body = [piece for piece, _ in placed if not any(piece is p.head for p, _ in placed)]
        assert body and not body[-1].keeps, "a head stands alone at the end of a page"


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_painted_into_the_margins(reports, qapp, name):
    pages = Pages(reports[name])
    scale = 0.5
    wide = round(pages.size_points.width() * scale)
    edge = round((SIDE - 8) * scale)
    for index in range(len(pages)):
        image = picture(pages, index, wide).convertToFormat(QImage.Format.Format_Grayscale8)
        grey = np.frombuffer(image.constBits(), np.uint8)
        grey = grey.reshape(image.height(), image.bytesPerLine())[:, :wide]
        assert grey[:, :edge].min() > 250 and grey[:, wide - edge :].min() > 250, index
        body = grey[round(TOP * scale) : image.height() - round(FOOT * scale)]
        assert (body < 160).sum() > 100, f"page {index + 1} is empty"


def test_rows_are_repeated_under_their_head_on_the_next_page(reports, qapp):
    pages = Pages(reports["six"])
    repeated = 0
    for placed in pages.pages[1:]:
        first = placed[0].piece
        if any(piece.head is first for piece, _ in placed[1:]):
            repeated += 1
    assert repeated >= 3


def test_a_logo_is_embedded_small(reports, qapp, tmp_path):
    image = QImage(1600, 400, QImage.Format.Format_RGB32)
    image.fill(QColor("#0B62A8"))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    report = msgspec.structs.replace(reports["one"], logo=bytes(buffer.data().data()))
    path = tmp_path / "logo.pdf"
    path.write_bytes(to_pdf(report))
    (held,) = pypdf.PdfReader(path).pages[0]["/Resources"]["/XObject"].values()
    assert 0 < held.get_object()["/Width"] <= 600
    assert path.stat().st_size < 300_000


def test_characters_that_cannot_be_printed_are_written_out(qapp):
    assert printable("a\x07b\U0001f600") == "a[U+0007]b[U+1F600]"
    assert printable("plain, é ≤ ✓") == "plain, é ≤ ✓"


def test_no_line_ends_within_a_unit(qapp):
    text = "GeForce RTX 5090 serves 521 tok/s together, 1,792 GB/s, and/or\n260 tok/s each"
    for points in range(60, 400, 3):
        lines = Lines(text, Type(9), points * POINT)
        layout = lines._layout
        found = [layout.lineAt(number) for number in range(layout.lineCount())]
        cut = [text[one.textStart() : one.textStart() + one.textLength()] for one in found]
        assert "".join(cut) == text
        assert not [one for one in cut if one.endswith(("tok/", "GB/"))], points
        assert max(one.naturalTextWidth() for one in found) <= points * POINT


def test_text_runs_the_way_most_of_its_letters_do(qapp):
    left, right = Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft
    assert direction("שלום serves at most 3 sessions") == left
    assert direction("שלום עולם, 3 GB") == right
    assert direction("") == direction("3.5") == left


def test_columns_share_the_width_and_keep_short_words_whole():
    assert _levelled([10, 100, 40], 90) == [10, 40, 40]
    assert sum(_levelled([50, 60, 70, 1], 100)) == pytest.approx(100)


@tool("pdftotext")
def test_no_letter_of_an_odd_name_is_lost(files, qapp):
    _, said, _ = output("pdftotext", "-raw", files["odd"], "-")
    said = squeezed(said)
    for word in ("<b>*_`{}\\", "W" * 40, "verylongname", squeezed(printable("😀👩")), "机器"):
        wanted = squeezed(printable(word))
        assert wanted in said, wanted
    for letter in squeezed(printable("שלום")):
        assert letter in said


def test_an_unreadable_logo_leaves_the_report_without_one(reports, qapp):
    broken = msgspec.structs.replace(reports["one"], logo=b"\x89PNG\r\n\x1a\nnothing")
    assert to_pdf(broken) == to_pdf(reports["one"])


def test_scenarios_are_read_back_in_order(files):
    assert scenarios(files["six"]) == cases()["six"]


def test_figures_and_tables_of_a_figure_stand_in_the_report(reports):
    assert sum(isinstance(b, Figure) for s in reports["six"].sections for b in s.blocks) >= 5
