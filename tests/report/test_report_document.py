import json
import math

import msgspec
import pytest
from report_cases import ODD, cases, evaluated, known, library, oddly_named

from ourmodels_gui import export, scenario
from ourmodels_gui.composed import ComposedHardware, DeviceChoice
from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.evaluation import run
from ourmodels_gui.inline import InlineHardware
from ourmodels_gui.problem import BadInput
from ourmodels_gui.report.build import build
from ourmodels_gui.report.placement import usable
from ourmodels_gui.report.sensitivity import INPUTS, changed, reach, swings
from ourmodels_gui.report.shapes import SECTIONS, Bullets, Figure, Options, Table, Text
from ourmodels_gui.report.subject import subjects
from ourmodels_gui.scenario import ModelRef, Scenario, WorkloadChoice
from ourmodels_gui.units import duration, rate


@pytest.fixture(scope="module")
def reports():
    return {name: build(evaluated(name), known()) for name in cases()}


def section(report, id_):
    return next(found for found in report.sections if found.id == id_)


def tables(report):
    for part in report.sections:
        for block in part.blocks:
            if isinstance(block, Table):
                yield block
            elif isinstance(block, Figure):
                yield block.table


def table(report, name):
    return next(found for found in tables(report) if found.name == name)


@pytest.mark.parametrize("name", cases())
def test_every_row_has_a_cell_for_every_column(reports, name):
    for found in tables(reports[name]):
        assert found.rows, found.name
        assert {len(row) for row in found.rows} == {len(found.columns)}, found.name


@pytest.mark.parametrize("name", cases())
def test_sections_stand_in_their_order_under_their_titles(reports, name):
    ids = [found.id for found in reports[name].sections]
    assert ids == [id_ for id_ in SECTIONS if id_ in ids]
    assert {"answer", "memory", "decode", "gates", "assumptions", "working", "limits"} <= set(ids)
    assert all(found.title == SECTIONS[found.id] for found in reports[name].sections)


@pytest.mark.parametrize("name", cases())
def test_the_ranking_prints_the_figures_of_evaluate(reports, name):
    """Against the public JSON, at the shown rounding."""
    printed = table(reports[name], "ranking").rows
    assert len(printed) == len(cases()[name])
    by_letter = dict(zip("ABCDEF", evaluated(name), strict=False))
    for row in printed:
        letter = row[1][0] if len(printed) > 1 else "A"
        result = json.loads(export.to_json(by_letter[letter].result))
        decode, prefill = result["decode"], result["prefill"]
        placed = result.get("placement")
        last = placed["policies"][0]["last_usable_batch"] if placed else None
        wanted = [
            usable(decode["best_batch"], last),
            *(
                "-" if decode[key] is None else rate(decode[key])
                for key in (
                    "aggregate_tokens_per_s",
                    "per_session_tokens_per_s",
                    "single_session_tokens_per_s",
                )
            ),
        ]
        if prefill:
            wanted.append("-" if prefill["time_s"] is None else duration(prefill["time_s"]))
        assert list(row[3:]) == wanted
        assert decode["verdict"] in row[2]


@pytest.mark.parametrize("name", cases())
def test_every_assumption_is_told_with_value_unit_and_source(reports, name):
    rows = [
        row
        for found in section(reports[name], "assumptions").blocks
        if isinstance(found, Table)
        for row in found.rows
    ]
    told = {row[-4:] for row in rows}
    for evaluation in evaluated(name):
        assert evaluation.result.assumptions
        for item in evaluation.result.assumptions:
            (found,) = {
                row
                for row in told
                if row[0] == item.name
                and row[3] == item.source
                and row[2] == item.unit
                and same(row[1], item.value)
            }
            assert found


def same(text, value):
    if value is None or isinstance(value, str):
        return text == ("unknown" if value is None else value)
    return float(text.replace(",", "")) == value


def test_the_first_of_a_ranking_has_the_largest_aggregate(reports):
    rows = table(reports["six"], "ranking").rows
    best = max(evaluated("six"), key=lambda e: e.result.decode.aggregate_tokens_per_s)
    assert rows[0][1].endswith(subjects([best], library())[0].machine)
    lead = section(reports["six"], "answer").blocks[0]
    assert isinstance(lead, Text) and rate(best.result.decode.aggregate_tokens_per_s) in lead.text


def test_what_does_not_serve_comes_last_and_is_named():
    pair = [*cases()["unfit"], *cases()["one"]]
    report = build([run(one, library()) for one in pair], known())
    rows = table(report, "ranking").rows
    assert rows[0][2] == "✓ serves" and rows[1][2] == "✗ model does not fit"
    lead = section(report, "answer").blocks[0].text
    assert "(A) does not serve." in lead


def test_a_model_that_does_not_fit_says_how_much_is_missing(reports):
    lead = section(reports["unfit"], "answer").blocks[0].text
    assert lead == "The model does not fit GeForce RTX 4090: 767.9 GB are missing."
    assert not any(isinstance(b, Figure) for b in section(reports["unfit"], "decode").blocks)


def test_without_compute_rates_the_missing_one_is_named(reports):
    said = " ".join(
        b.text for b in section(reports["no rates"], "prefill").blocks if isinstance(b, Text)
    )
    assert "the machine's rate in bf16_fp32acc unknown" in said
    figure = next(
        b for b in section(reports["no rates"], "prefill").blocks if isinstance(b, Figure)
    )
    assert {row[3] for row in figure.table.rows} == {"-"}


def test_sensitivity_is_evaluate_on_the_changed_scenario():
    chosen = cases()["one"][0]
    subject = subjects([run(chosen, library())], library())[0]
    lower = scenario.edited(chosen, {"workload.floor_tokens_per_s": 16})
    assert changed(subject.setup, "floor", 0.8).workload == run(lower, library()).setup.workload
    longer = {"workload.reserved_context_tokens": 120_000, "workload.read_context_tokens": 38_400}
    at_longer = run(scenario.edited(chosen, longer), library())
    swing = next(found for found in swings(subject) if found.name == "context")
    assert swing.high.decode == at_longer.result.decode
    assert swing.high.decode != subject.result.decode


def test_the_input_that_moves_the_answer_most_is_the_one_named(reports):
    subject = subjects(evaluated("one"), library())[0]
    far = {swing.name: reach(swing, subject.result) for swing in swings(subject)}
    strongest = max(far, key=far.get)
    assert set(far) == set(INPUTS) - {"link"} and far[strongest] > 0
    said = section(reports["one"], "sensitivity").blocks[0].text
    assert said.startswith(f"The {INPUTS[strongest]} moves the answer most: ")


def test_an_input_that_decides_whether_anything_is_served_outweighs_the_rest():
    chosen = scenario.edited(cases()["no rates"][0], {"workload.floor_tokens_per_s": 3.5})
    subject = subjects([run(chosen, library())], library())[0]
    assert subject.result.decode.best_batch is None
    far = {swing.name: reach(swing, subject.result) for swing in swings(subject)}
    assert far["floor"] == math.inf and far["capacity"] == 0.0


def test_a_typed_cache_is_not_moved_with_the_context(reports):
    subject = subjects(evaluated("typed"), library())[0]
    assert changed(subject.setup, "context", 1.2) is None
    assert "typed as bytes" in section(reports["typed"], "sensitivity").blocks[1].text


def test_no_floor_is_not_moved():
    subject = subjects(evaluated("one"), library())[0]
    work = msgspec.structs.replace(subject.setup.workload, floor_tokens_per_s=0.0)
    assert changed(msgspec.structs.replace(subject.setup, workload=work), "floor", 1.2) is None


def pooled(card=(24, 936, 70), ram=(96, 90), link=31.5):
    """A card and the memory of its host, the combined ceiling, no prompt."""
    memory, bandwidth, rate_of_card = card
    device = InlineHardware(
        name="card",
        kind="discrete",
        memory_gb=memory,
        bandwidth_gb_per_s=bandwidth,
        compute_tflop_per_s={"bf16_fp32acc": rate_of_card},
    )
    host = InlineHardware(name="ram", kind="cpu", memory_gb=ram[0], bandwidth_gb_per_s=ram[1])
    return Scenario(
        ComposedHardware(
            devices=(DeviceChoice(machine=device),), host_memory=host, link=link, pools="streamed"
        ),
        ModelRef("qwen3-30b-a3b"),
        workload=WorkloadChoice(
            reserved_context_tokens=1000,
            read_context_tokens=1000,
            floor_tokens_per_s=5.0,
            decode_ceiling="combined",
        ),
    )


@pytest.mark.parametrize(
    ("name", "moved"),
    [
        ("bandwidth", {"card": (24, 936 / 2, 70), "ram": (96, 90 / 2)}),
        ("capacity", {"card": (24 / 2, 936, 70), "ram": (96 / 2, 90)}),
        ("compute", {"card": (24, 936, 70 / 2)}),
        ("link", {"link": 31.5 / 2}),
    ],
)
def test_the_pools_of_a_composition_are_moved_alike(name, moved):
    setup = run(pooled(), library()).setup
    wanted = run(pooled(**moved), library())
    assert evaluate(changed(setup, name, 0.5)).decode == wanted.result.decode
    assert wanted.result.decode != evaluate(setup).decode


def test_what_moves_a_composition_is_told():
    subject = subjects([run(pooled(), library())], library())[0]
    far = {swing.name: reach(swing, subject.result) for swing in swings(subject)}
    assert set(far) == set(INPUTS) and max(far.values()) > 0


@pytest.mark.parametrize("name", [name for name in INPUTS if name != "link"])
def test_each_step_leaves_the_other_inputs_alone(name):
    setup = evaluated("one")[0].setup
    moved = changed(setup, name, 0.8)
    part = "machine" if name in ("bandwidth", "capacity", "compute") else "workload"
    assert moved == msgspec.structs.replace(setup, **{part: getattr(moved, part)})
    assert moved != setup and evaluate(moved).decode is not None


def test_the_scenarios_go_in_as_they_came(reports):
    for name, chosen in cases().items():
        held = [scenario.read(found.data) for found in reports[name].attachments]
        assert tuple(held) == chosen
    names = [found.name for found in reports["six"].attachments]
    assert names[0] == "scenario.ourmodels.json" and names[5] == "scenario-6.ourmodels.json"


def test_evidence_stands_beside_and_is_never_multiplied_in(reports):
    with_runs = reports["one"]
    without = build(evaluated("one"), msgspec.structs.replace(known(), measured=None, ceilings={}))
    assert table(with_runs, "evidence").rows
    assert "evidence" not in [found.id for found in without.sections]
    assert [s for s in with_runs.sections if s.id != "evidence"] == list(without.sections)


def test_the_evidence_of_a_composition_is_of_compositions_used_the_same_way():
    pair = ComposedHardware(devices=(DeviceChoice("geforce-rtx-4090", 2),), link="pcie-4-x8")
    wanted = Scenario(pair, ModelRef("llama-3-70b", weights="q4_k_m"))
    report = build((run(wanted, library()),), known())
    scopes = {row[2] for row in table(report, "evidence").rows}
    assert scopes == {"compositions of such devices, used the same way"}
    conditions = [row[0] for row in table(report, "nearest-runs").rows]
    assert conditions and all("layer split" in words for words in conditions)


def test_only_the_sections_that_are_wanted():
    options = Options(sections=frozenset({"working"}))
    report = build(evaluated("one"), known(), options)
    assert [found.id for found in report.sections] == ["answer", "working"]


def test_note_title_author_and_date_are_the_users():
    options = Options(title=" T ", author="N", date="2026-01-02", note="first\n\nsecond\ud800")
    report = build(evaluated("one"), known(), options)
    assert (report.title, report.author, report.date) == ("T", "N", "2026-01-02")
    texts = [b.text for b in section(report, "answer").blocks if isinstance(b, Text)]
    assert "first" in texts and "second?" in texts


def test_no_date_unless_asked_for(reports):
    assert all(report.date == "" for report in reports.values())


def test_two_builds_are_equal():
    assert build(evaluated("six"), known()) == build(evaluated("six"), known())


@pytest.mark.parametrize("count", [0, 7])
def test_one_to_six_scenarios(count):
    with pytest.raises(BadInput, match="1 to 6"):
        build(evaluated("one") * count, known())


def test_a_scenario_whose_machine_was_deleted_is_refused_by_its_name():
    gone = run(Scenario("my-deleted-machine", ModelRef("gpt-oss-120b")), library())
    with pytest.raises(BadInput, match="my-deleted-machine"):
        build([gone], known())


def test_a_name_of_any_kind_is_kept_whole():
    report = build([run(oddly_named(), library())], known())
    assert report.title == ODD
    assert any(
        " ".join(ODD.split()) in lead
        for block in section(report, "catalog").blocks
        if isinstance(block, Bullets)
        for lead, _ in block.items
    )


def test_the_same_machine_twice_is_told_apart():
    twice = evaluated("one") * 2
    names = [found.title for found in subjects(twice, library())]
    assert len(set(names)) == 2
    build(twice, known())


def forced(hardware, batch):
    return Scenario(
        hardware,
        ModelRef("qwen3-30b-a3b", "q4_k_m"),
        workload=WorkloadChoice(16_000, 16_000, floor_tokens_per_s=15, batch=batch),
    )


def test_a_comparison_says_where_a_forced_number_of_sessions_does_not_fit():
    pair = (forced("geforce-rtx-5090", 4), forced("geforce-rtx-4090", 8))
    found = build([run(one, library()) for one in pair], known())
    (said,) = (block for block in section(found, "answer").blocks if isinstance(block, Bullets))
    assert [words for _, words in said.items] == [
        "forced: 4 sessions at 161 tok/s each.",
        "8 sessions do not fit; forced: 8 sessions would have 49.2 tok/s each.",
    ]
    (bars,) = (block for block in section(found, "memory").blocks if isinstance(block, Figure))
    assert "forced number of sessions" in bars.caption
    assert [row[2] for row in table(found, "memory").rows] == ["4", "8"]


def test_the_bars_of_no_forced_number_are_those_of_the_best_batch():
    found = build([run(forced("geforce-rtx-4090", None), library())], known())
    (bars,) = (block for block in section(found, "memory").blocks if isinstance(block, Figure))
    assert "forced" not in bars.caption
