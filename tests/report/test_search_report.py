import json

import pytest
from report_cases import known, library, needs

from ourmodels_gui import cli, scenario
from ourmodels_gui.problem import BadInput
from ourmodels_gui.ranking import requirements
from ourmodels_gui.ranking.search import search
from ourmodels_gui.report.search_report import MOST_ROWS, build_search
from ourmodels_gui.report.shapes import SECTIONS, Table
from ourmodels_gui.scenario import ModelRef


@pytest.fixture(scope="module")
def report():
    return build_search(needs(), known())


@pytest.fixture(scope="module")
def found():
    return search(library(), needs())


def tables(report):
    return {block.name: block for block in report.sections[0].blocks if isinstance(block, Table)}


def test_the_verdict_names_the_cheapest_that_meets_every_need(report, found):
    first = found.meets[0]
    lead = report.sections[0].blocks[0].text
    assert first.machine.name in lead and f"{first.price:,.0f} USD" in lead
    assert lead.startswith(f"{len(found.meets)} machines can meet every need")


def test_the_three_lists_are_those_of_the_search(report, found):
    for name in ("meets", "unknown", "misses"):
        listed = getattr(found, name)[:MOST_ROWS]
        rows = tables(report)[f"search-{name}"].rows
        assert [row[1] for row in rows] == [one.machine.name for one in listed]
        assert [row[2] for row in rows] == [one.weights for one in listed]


def test_a_miss_says_what_it_lacks(report, found):
    first = found.misses[0]
    row = tables(report)["search-misses"].rows[0]
    assert row[4] == "\n".join(check.said() for check in first.lacks)


def test_what_a_pass_is_worth_is_said_on_page_one(report):
    said = [getattr(block, "text", "") for block in report.sections[0].blocks]
    assert any("necessary, not sufficient" in text for text in said)


def test_the_sections_after_it_are_of_the_machines_with_letters(report, found):
    assert [s.id for s in report.sections] == [
        i for i in SECTIONS if i in {s.id for s in report.sections}
    ]
    first = [*found.meets, *found.unknown, *found.misses][:6]
    attached = [scenario.read(held.data) for held in report.attachments[1:]]
    assert attached == [candidate.scenario for candidate in first]
    assert tables(report)["search-meets"].rows[0][0] == "A"


def test_the_requirements_are_attached(report):
    first = report.attachments[0]
    assert first.name == "requirements.ourmodels.json"
    assert requirements.read(first.data) == needs()


def test_when_nothing_meets_the_needs_that_is_said():
    said = build_search(needs(tokens_per_s_each=1e12), known()).sections[0].blocks[0].text
    assert said == "No machine meets these needs, and that is certain."


def test_an_unknown_model_is_refused():
    with pytest.raises(BadInput, match="no-such"):
        build_search(needs(model=ModelRef("no-such")), known())


def test_the_command_takes_requirements_and_gives_them_back(tmp_path, qapp, capfd):
    path, out, again = tmp_path / "needs.json", tmp_path / "out.pdf", tmp_path / "again.pdf"
    requirements.write_file(path, needs())
    assert cli.main(["report", str(path), "-o", str(out)]) == 0
    assert cli.main(["report", str(out), "-o", str(again)]) == 0
    assert out.read_bytes() == again.read_bytes()
    capfd.readouterr()
    assert cli.main(["evaluate", str(out)]) == 0
    assert json.loads(capfd.readouterr().out)["decode"]["forced"]["batch"] == 4


@pytest.mark.parametrize(
    "change, words",
    [({"users": 0}, "users: "), ({"model": {"id": "no-such"}}, "no-such"), ({"odd": 1}, "odd: ")],
)
def test_bad_requirements_are_one_line_and_status_2(tmp_path, capfd, change, words):
    path = tmp_path / "needs.json"
    path.write_text(json.dumps(json.loads(requirements.write(needs())) | change))
    assert cli.main(["report", str(path), "-o", str(tmp_path / "out.md")]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert str(path) in line and words in line
    assert not (tmp_path / "out.md").exists()


def test_requirements_stand_alone(tmp_path, capfd):
    path = tmp_path / "needs.json"
    requirements.write_file(path, needs())
    assert cli.main(["report", str(path), str(path), "-o", str(tmp_path / "out.md")]) == 2
    assert "of their own" in capfd.readouterr().err
