"""What is read from PDFs of any kind: scenarios, or one message."""

import io
import zlib

import pypdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from report_cases import cases

from ourmodels_gui import scenario
from ourmodels_gui.problem import BadInput
from ourmodels_gui.report.pdf_file import attached, is_pdf, scenarios

CHOSEN = cases()["one"][0]


def pdf(*files, password=None, pages=1):
    writer = pypdf.PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(width=100, height=100)
    for name, data in files:
        writer.add_attachment(name, data)
    if password:
        writer.encrypt(password)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


GOOD = pdf(("scenario.ourmodels.json", scenario.write(CHOSEN)))


def put(tmp_path, data):
    path = tmp_path / "some.pdf"
    path.write_bytes(data)
    return path


def message(path):
    with pytest.raises(BadInput) as caught:
        scenarios(path)
    said = str(caught.value)
    assert str(path) in said and "\n" not in said
    return said


def test_a_pdf_of_another_program_that_kept_the_attachment_is_read(tmp_path):
    assert scenarios(put(tmp_path, GOOD)) == (CHOSEN,)
    assert is_pdf(put(tmp_path, GOOD))


def test_scenarios_come_in_the_order_of_their_numbers(tmp_path):
    files = [
        (f"scenario{'' if place == 1 else f'-{place}'}.ourmodels.json", scenario.write(chosen))
        for place, chosen in reversed(list(enumerate(cases()["six"], 1)))
    ]
    assert scenarios(put(tmp_path, pdf(*files))) == cases()["six"]


@pytest.mark.parametrize(
    "data, words",
    [
        (pdf(), "carries no scenario"),
        (pdf(("other.json", b"{}"), ("picture.png", b"x")), "carries no scenario"),
        (pdf(("scenario.ourmodels.json", b"{}")), "scenario.ourmodels.json: format: "),
        (pdf(("scenario.ourmodels.json", b"[" * 100_000)), "scenario.ourmodels.json: "),
        (pdf(("scenario.ourmodels.json", b" " * 9_000_000)), "larger than 4 MB"),
        (pdf(("scenario.ourmodels.json", b"{}"), password="secret"), "damaged, locked"),
        (b"%PDF-1.4", "damaged, locked"),
        (b"%PDF-1.4\n%%EOF" + bytes(range(256)) * 50, "damaged, locked"),
        (GOOD[: len(GOOD) // 3], "PDF"),
    ],
)
def test_what_holds_no_scenario_is_one_message(tmp_path, data, words):
    assert words in message(put(tmp_path, data))


def test_a_name_tree_that_leads_into_itself_ends(tmp_path):
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(GOOD))
    tree = writer.root_object["/Names"]["/EmbeddedFiles"]
    tree[pypdf.generic.NameObject("/Kids")] = pypdf.generic.ArrayObject(
        [tree.indirect_reference or writer._add_object(tree)] * 2
    )
    out = io.BytesIO()
    writer.write(out)
    try:
        assert scenarios(put(tmp_path, out.getvalue())) == (CHOSEN,)
    except BadInput as bad:
        assert "more files" in str(bad)


def test_a_bomb_inside_does_not_fill_the_memory(tmp_path):
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(GOOD))
    for held in writer._objects:
        if isinstance(held, pypdf.generic.StreamObject):
            held._data = zlib.compress(b" " * 300_000_000)
            held[pypdf.generic.NameObject("/Filter")] = pypdf.generic.NameObject("/FlateDecode")
    out = io.BytesIO()
    writer.write(out)
    message(put(tmp_path, out.getvalue()))


def test_a_file_that_is_no_file_is_refused(tmp_path):
    with pytest.raises(OSError):
        scenarios(tmp_path / "missing.pdf")
    assert "ordinary file" in message(tmp_path)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_damage_anywhere_gives_the_scenario_or_a_message(data):
    damaged = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(0, len(GOOD) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(GOOD)))
    for version in (bytes(damaged), GOOD[:cut]):
        try:
            held = attached(version)
        except BadInput:
            continue
        assert all(isinstance(content, bytes) for content in held.values())
