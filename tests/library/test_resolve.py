import json

import msgspec
import pytest

from ourmodels_gui import scenario
from ourmodels_gui.engine.costs import (
    cache_alloc_bytes,
    cache_read_bytes,
    draft_alloc_bytes,
    draft_read_bytes,
    full_sweep_bytes,
)
from ourmodels_gui.engine.setup import Draft, TypedCache
from ourmodels_gui.evaluation import run
from ourmodels_gui.inline import ARITHMETIC_MODES, InlineAdapter, InlineCache, InlineLayer
from ourmodels_gui.library import written_out
from ourmodels_gui.library.hardware import MODES, HardwareRecord, machine_entries
from ourmodels_gui.library.load import Library, ModelEntry
from ourmodels_gui.library.models import ModelRecord
from ourmodels_gui.library.parse import parse
from ourmodels_gui.library.profile import model_costs, mtp_costs
from ourmodels_gui.library.records import Source
from ourmodels_gui.library.resolve import context_lengths, resolve
from ourmodels_gui.problem import BadInput
from ourmodels_gui.scenario import WorkloadChoice

BOX = {
    "name": "Box",
    "vendor": "Acme",
    "kind": "unified",
    "memory": {"type": "LPDDR5X", "bandwidth": {"value": 256, "unit": "GB/s", "source": "sheet"}},
    "configurations": [
        {"id": "box-64gb", "capacity": {"value": 64, "unit": "GiB", "source": "sheet"}},
        {
            "id": "box-128gb",
            "capacity": {"value": 128, "unit": "GiB", "source": "sheet"},
            "default_share": {"value": 96, "unit": "GiB"},
        },
    ],
    "compute": {"fp16_fp32acc": {"value": 50, "unit": "TFLOP/s", "source": "sheet"}},
    "measured": {
        "bandwidth": {"value": 212, "unit": "GB/s", "source": "bench", "basis": "measured"}
    },
}
CARD = {
    "name": "Card",
    "vendor": "Acme",
    "kind": "discrete",
    "memory": {"type": "GDDR7", "bandwidth": {"value": 1000, "unit": "GB/s"}},
    "configurations": [{"id": "card", "capacity": {"value": 32, "unit": "GiB"}}],
}
LAYER = {
    "kind": "full",
    "count": 4,
    "query_heads": 8,
    "key_heads": 2,
    "key_width": 64,
    "value_width": 64,
}
MODEL = {
    "name": "Little",
    "vendor": "Acme",
    "family": "little",
    "tied": True,
    "hidden_width": 512,
    "layer_count": 4,
    "context_tokens": 65_536,
    "layers": [LAYER],
    "tensors": [
        {"class": "input_embedding", "count": 1, "shape": [1000, 512], "role": "token"},
        {"class": "attention", "count": 16, "shape": [512, 512]},
        {"class": "dense_mlp", "count": 12, "shape": [2048, 512]},
        {"class": "norms", "count": 9, "shape": [512]},
    ],
    "audit": {"status": "audited"},
}
DRAFTING = MODEL | {
    "name": "Drafting", "context_tokens": 262_144,
    "mtp": {"modules": 1, "layers": [LAYER | {"count": 1}]},
    "tensors": [
        *MODEL["tensors"],
        {"class": "attention", "count": 4, "shape": [512, 512], "part": "mtp"},
    ],
}  # fmt: skip
DENSE = {
    "total_parameters_b": 32,
    "bytes_per_parameter": 0.5,
    "cache": {"alloc_gb_per_session": 1, "read_gb_per_token": 0.3},
}
MOE = DENSE | {
    "total_parameters_b": 35,
    "active_parameters_b": 3,
    "routed_experts": 256,
    "experts_per_token": 8,
}
TOY = {"memory_gb": 128, "bandwidth_gb_per_s": 800}


def entries(*documents):
    return {
        entry.id: entry
        for document in documents
        for entry in machine_entries(parse(json.dumps(document).encode(), HardwareRecord))
    }


def model(document):
    return parse(json.dumps(document).encode(), ModelRecord)


LIBRARY = Library(
    machines=entries(BOX, CARD),
    models={
        name: ModelEntry(name, document["name"], "Acme", model(document))
        for name, document in {"little": MODEL, "drafting": DRAFTING}.items()
    },
    sources={"sheet": Source("Box data sheet", "page 2", "2026-11-01")},
    version="2026.11",
)


def chosen(hardware="box-128gb", model_=None, **sections):
    document = {
        "format": "ourmodels-scenario", "version": 1, "hardware": hardware,
        "model": model_ or {"id": "little"}, **sections,
    }  # fmt: skip
    return scenario.read(json.dumps(document))


def setup(*arguments, **sections):
    return resolve(chosen(*arguments, **sections), LIBRARY)


def adapter(document):
    return {"adapter": document}


def fault(*arguments, **sections):
    with pytest.raises(BadInput) as caught:
        setup(*arguments, **sections)
    assert "\n" not in str(caught.value)
    return caught.value.problem


def told(found, name):
    (match,) = [item for item in found.assumptions if item.name.startswith(name)]
    return match


def test_whoever_uses_an_entry_that_was_replaced_is_told_by_what():
    document = BOX | {"replaced_by": CARD["configurations"][0]["id"]}
    old = model(MODEL | {"replaced_by": "drafting"})
    library = msgspec.structs.replace(
        LIBRARY,
        machines=LIBRARY.machines | entries(document),
        models=LIBRARY.models | {"little": ModelEntry("little", MODEL["name"], "Acme", old)},
    )
    names = [
        item.value for item in resolve(chosen(), library).assumptions if item.name == "replaced by"
    ]
    assert names == [CARD["name"], DRAFTING["name"]]
    assert not any(item.name == "replaced by" for item in setup().assumptions)


def test_the_scenario_and_the_library_know_the_same_modes():
    assert set(ARITHMETIC_MODES) == set(MODES) and len(ARITHMETIC_MODES) == 14


def test_an_empty_scenario_takes_every_default():
    found = setup()
    assert found.machine.capacity_bytes == 128 * 2**30
    assert found.workload.floor_tokens_per_s == 20
    assert found.workload.read_context_tokens == 32_000
    assert found.workload.routing == "expected" and found.workload.cache_policy == "windowed"
    assert found.workload.decode_ceiling == "memory" and found.workload.batch is None
    assert found.speculation is None and found.prompt is None
    assert found.model == model_costs(model(MODEL), "bf16", "fp16")


@pytest.mark.parametrize(
    "hardware, gigabytes",
    [("box-64gb", 8), ("card", 1), (TOY, 8), (TOY | {"kind": "cpu"}, 8),
     (TOY | {"kind": "unified"}, 8), (TOY | {"kind": "discrete"}, 1),
     (TOY | {"kind": "datacenter"}, 1)],
)  # fmt: skip
def test_the_overhead_follows_the_kind_of_machine(hardware, gigabytes):
    assert setup(hardware).workload.overhead_bytes == gigabytes * 1e9
    assert told(setup(hardware), "runtime overhead").value == gigabytes
    assert setup(hardware, workload={"overhead_gb": 3}).workload.overhead_bytes == 3e9
    assert setup(hardware, workload={"overhead_gb": 0}).workload.overhead_bytes == 0


def test_lengths_are_clamped_to_the_model_and_the_change_is_told():
    found = setup()
    assert found.workload.reserved_context_tokens == 65_536
    assert "100,000" in told(found, "reserved context").source
    shorter = setup(workload={"reserved_context_tokens": 20_000})
    assert shorter.workload.read_context_tokens == 20_000
    assert "32,000 asked, default" in told(shorter, "read context").source
    both = setup(workload={"reserved_context_tokens": 90_000, "read_context_tokens": 80_000})
    assert both.workload.read_context_tokens == 65_536
    assert "80,000 asked, typed" in told(both, "read context").source


@pytest.mark.parametrize(
    "reserved, fraction, read",
    [(100_000, 0.9, 90_000), (500_000, 0.9, 467_232), (1000, 0.25, 250), (100_000, 0.1, 67_232),
     (7, 1, 7), (1, 0.1, 0)],
)  # fmt: skip
def test_reading_follows_the_reservation_with_the_unread_rest_capped(reserved, fraction, read):
    choice = WorkloadChoice(reserved_context_tokens=reserved, read_context_fraction=fraction)
    assert context_lengths(choice, None).read == read


def test_reading_follows_the_reservation_as_the_model_allows_it():
    choice = WorkloadChoice(reserved_context_tokens=100_000, read_context_fraction=0.5)
    assert context_lengths(choice, 20_000).read == 10_000


@pytest.mark.parametrize("key", ["hardware", "model.id", "speculation.draft.id"])
def test_an_unknown_id_is_named_with_its_neighbours(key):
    problem = {
        "hardware": lambda: fault("box-128g"),
        "model.id": lambda: fault(model_={"id": "litle"}),
        "speculation.draft.id": lambda: fault(
            speculation={"draft_tokens": 2, "acceptance": 0.5, "draft": {"id": "litle"}}
        ),
    }[key]()
    assert problem.key == key
    assert ("box-128gb" if key == "hardware" else "little") in problem.message
    assert "Choose another" in problem.message


def test_an_id_that_is_near_nothing_is_refused_plainly():
    assert "near" not in fault("quantum-abacus-9000").message


def test_a_machine_that_travels_with_the_file_needs_no_library():
    found = resolve(chosen({"id": "box-64gb", "record": BOX}), Library({}, LIBRARY.models))
    assert found.machine.capacity_bytes == 64 * 2**30
    assert told(found, "machine").source == "your own machine"
    assert fault({"id": "box-1gb", "record": BOX}).key == "hardware.id"
    broken = BOX | {"memory": {"type": "x", "bandwidth": {"value": -1, "unit": "GB/s"}}}
    assert fault({"id": "box-64gb", "record": broken}).key.startswith("hardware.record.memory")


def test_a_model_that_travels_with_the_file_needs_no_library():
    mine = {"id": "mine", "record": MODEL}
    assert resolve(chosen("card", mine), Library(LIBRARY.machines, {})).model == setup().model
    broken = {"id": "mine", "record": MODEL | {"layer_count": 0}}
    assert fault(model_=broken).key == "model.record.layer_count"
    odd = {"class": "norms", "count": 1, "shape": [8], "encoding": "bf61"}
    lost = {"id": "mine", "record": MODEL | {"tensors": [odd]}}
    assert fault(model_=lost).key == "model.record.tensors[0].encoding"
    draft = {"id": "mine", "record": MODEL | {"tied": 3}}
    problem = fault(speculation={"draft_tokens": 2, "acceptance": 0.5, "draft": draft})
    assert problem.key == "speculation.draft.record.tied"


def test_formats_reach_the_model_and_unknown_ones_are_refused():
    found = setup(workload={"cache_format": "fp8"}, model_={"id": "little", "weights": "q4_0"})
    assert found.model == model_costs(model(MODEL), "q4_0", "fp8")
    assert told(found, "weight precision").value == "q4_0"
    assert told(found, "cache precision").value == "fp8"
    assert fault(model_={"id": "little", "weights": "q99"}).key == "model.weights"
    assert fault(workload={"cache_format": "fp99"}).key == "workload.cache_format"
    inline = adapter(DENSE)
    assert fault(TOY, inline, workload={"cache_read_format": "fp99"}).key == (
        "workload.cache_read_format"
    )
    draft = {"draft_tokens": 2, "acceptance": 0.5, "draft": {"id": "little", "weights": "q99"}}
    assert fault(speculation=draft).key == "speculation.draft.weights"


def test_measured_rates_replace_the_limits_that_were_measured():
    found = setup(workload={"rates": "measured"})
    assert found.machine.bandwidth_bytes_per_s == 212e9
    assert found.machine.compute_flop_per_s == {"fp16_fp32acc": 50e12}
    assert found.machine.measured == {"bandwidth"}
    assert "measured: bandwidth" in told(found, "resource rates").source
    assert "measured" in told(found, "memory bandwidth").source
    limit = setup(workload={"rates": "limit"}).machine
    assert limit.bandwidth_bytes_per_s == 256e9 and not limit.measured


def test_measured_rates_need_a_measured_bandwidth():
    assert fault("card", workload={"rates": "measured"}).key == "workload.rates"
    only_compute = TOY | {"measured_compute_tflop_per_s": {"fp32": 3}}
    assert fault(only_compute, workload={"rates": "measured"}).key == "workload.rates"
    both = only_compute | {"measured_bandwidth_gb_per_s": 700}
    found = setup(both, workload={"rates": "measured"}).machine
    assert found.measured == {"bandwidth", "fp32"} and found.compute_flop_per_s == {"fp32": 3e12}


def test_figures_name_their_source():
    found = setup()
    assert told(found, "memory capacity").source == "published: Box data sheet"
    assert told(found, "memory bandwidth").source == "resource limit, published: Box data sheet"
    assert told(setup(TOY), "memory bandwidth").source == "resource limit, typed"


@pytest.mark.parametrize(
    "rates, mode",
    [({"bf16_fp32acc": 1, "fp16_fp32acc": 2}, "bf16_fp32acc"),
     ({"fp16_fp32acc": 2, "fp8_fp32acc": 4}, "fp16_fp32acc"),
     ({"fp8_fp32acc": 4}, "bf16_fp32acc"), ({}, "bf16_fp32acc")],
)  # fmt: skip
def test_the_mode_that_nobody_names_is_one_the_machine_has(rates, mode):
    found = setup(TOY | {"compute_tflop_per_s": rates})
    assert found.linear_mode == found.attention_mode == {mode: 1.0}


def test_a_named_mode_is_never_replaced():
    shares = {"fp32": 0.25, "bf16_fp32acc": 0.75, "fp8_fp32acc": 0}
    found = setup(prefill={"linear_mode": "fp4_fp32acc", "attention_mode": shares})
    assert found.linear_mode == {"fp4_fp32acc": 1.0}
    assert found.attention_mode == {"fp32": 0.25, "bf16_fp32acc": 0.75}
    assert told(found, "compute rate F_hw(fp4_fp32acc)").value is None


def test_a_prompt_takes_its_defaults():
    prompt = setup(prefill={}).prompt
    assert prompt.prompt_tokens == 8192 and prompt.cached_prefix_tokens == 0
    assert prompt.chunk_tokens is None and prompt.cache_growth == "reserved"
    found = setup(prefill={})
    assert told(found, "chunk mode").value == "one shot"
    assert told(found, "prefill workspace").value == 0
    assert told(found, "linear arithmetic mode").value == "fp16_fp32acc"


def test_what_the_formulation_asks_to_state_is_stated():
    names = {item.name for item in setup(prefill={}).assumptions}
    for symbol in ("(O)", "(L_alloc)", "(L_read)", "(rho)", "(r_star)", "(L)", "(c)",
                   "(phi_linear)", "(phi_attention)", "(Omega_pf)", "(C)", "(R)"):  # fmt: skip
        assert any(name.endswith(symbol) for name in names), symbol
    assert {"weight precision", "cache precision", "expert routing", "resource rates"} <= names


def test_the_combined_ceiling_states_its_arithmetic_without_a_prompt():
    plain = {"bandwidth_gb_per_s": 800, "memory_gb": 128}
    combined = setup(plain, workload={"decode_ceiling": "combined"})
    assert told(combined, "compute rate").source == "unknown"
    assert told(combined, "linear arithmetic mode").value == "bf16_fp32acc"
    assert not any(item.name.startswith("compute") for item in setup(plain).assumptions)
    assert told(setup(), "compute rate F_hw(fp16_fp32acc)").value == 50  # the crossover rests on it


def test_a_draft_states_all_that_it_costs():
    sizes = {"resident_gb": 1, "sweep_gb": 2, "cache_alloc_gb": 3, "cache_read_gb": 4}
    found = setup(speculation={"draft_tokens": 2, "acceptance": 0.5, "draft": sizes})
    for symbol, value in (
        ("W_draft,res", 1),
        ("W_draft", 2),
        ("K_draft,alloc", 3),
        ("K_draft,read", 4),
    ):
        (item,) = [item for item in found.assumptions if item.name.endswith(f"({symbol})")]
        assert item.value == value and item.source == "as typed"
    other = {"id": "little", "weights": "q8_0"}
    found = setup(speculation={"draft_tokens": 2, "acceptance": 0.5, "draft": other})
    assert told(found, "draft weight precision").value == "q8_0"
    draft = found.speculation.draft
    assert told(found, "draft weights").value == draft.resident_bytes / 1e9 > 0


def test_another_catalog_version_is_told():
    assert told(setup(catalog_version="2025.1"), "catalog version").source.startswith(
        "the scenario was saved with 2025.1"
    )
    assert told(setup(catalog_version="2026.11"), "catalog version").value == "2026.11"


def test_no_draft_tokens_mean_no_speculation():
    assert setup(speculation={"draft_tokens": 0, "acceptance": 0.7}).speculation is None


def test_acceptance_becomes_emitted_tokens():
    found = setup(speculation={"draft_tokens": 2, "acceptance": 0.5}).speculation
    assert found.emitted_tokens == pytest.approx(1.75) and found.draft == Draft()
    typed = setup(speculation={"draft_tokens": 2, "emitted_tokens": 2.8}).speculation
    assert typed.emitted_tokens == 2.8
    sure = setup(speculation={"draft_tokens": 4, "acceptance": 1}).speculation
    assert sure.emitted_tokens == 5


def test_a_draft_model_is_charged_at_the_targets_contexts_within_its_own_limit():
    speculation = {"draft_tokens": 2, "acceptance": 0.5, "draft": {"id": "little"}}
    workload = {"reserved_context_tokens": 90_000, "read_context_tokens": 80_000}
    draft = setup(
        model_={"id": "drafting"}, speculation=speculation, workload=workload
    ).speculation.draft
    costs = model_costs(model(MODEL), "bf16", "fp16")
    assert draft.resident_bytes == costs.resident_bytes
    assert draft.always_bytes == costs.always_bytes
    reserved = draft_alloc_bytes(draft, 90_000, "windowed")
    assert reserved == cache_alloc_bytes(costs.cache, 65_536, "windowed")
    assert draft_read_bytes(draft, 80_000) == cache_read_bytes(costs.cache, 65_536)


def test_the_models_own_draft_layers():
    speculation = {"draft_tokens": 2, "acceptance": 0.5, "draft": "mtp"}
    draft = setup(model_={"id": "drafting"}, speculation=speculation).speculation.draft
    costs = mtp_costs(model(DRAFTING), "bf16", "fp16")
    assert draft.resident_bytes == costs.resident_bytes > 0
    read = cache_read_bytes(costs.cache, 32_000) / costs.modules
    assert draft_read_bytes(draft, 32_000) == read > 0
    assert fault(speculation=speculation).key == "speculation.draft"


def test_typed_draft_sizes_are_gigabytes():
    draft = {"resident_gb": 1, "sweep_gb": 0.9, "cache_alloc_gb": 0.1, "cache_read_gb": 0.05}
    speculation = {"draft_tokens": 2, "acceptance": 0.5, "draft": draft}
    assert setup(speculation=speculation).speculation.draft == Draft(
        1e9, 0.9e9, (), TypedCache(1e8, 5e7)
    )


def test_a_dense_adapter_sweeps_all_but_its_embedding():
    costs = setup(TOY, adapter(DENSE | {"embedding_parameters_b": 2})).model
    assert costs.resident_bytes == 16e9 and costs.always_bytes == 15e9 and costs.experts == ()
    assert costs.cache == TypedCache(1e9, 0.3e9)
    assert costs.cache_write_bytes_per_token is None and costs.attention is None


def test_an_expert_adapter_splits_as_the_formulation_does():
    costs = setup(TOY, adapter(MOE)).model
    (experts,) = costs.experts
    expert = 32 / 248
    assert experts.expert_bytes == pytest.approx(expert * 0.5e9)
    assert costs.always_bytes == pytest.approx((3 - 8 * expert) * 0.5e9)
    assert full_sweep_bytes(costs) == pytest.approx(17.5e9)


def test_every_expert_for_every_token_is_dense():
    everything = MOE | {"experts_per_token": 256, "active_parameters_b": 35}
    costs = setup(TOY, adapter(everything)).model
    assert costs.experts == () and costs.always_bytes == 17.5e9
    del everything["active_parameters_b"]
    assert setup(TOY, adapter(everything)).model == costs


def test_an_always_on_part_below_zero_names_the_active_parameters():
    problem = fault(TOY, adapter(MOE | {"active_parameters_b": 1}))
    assert problem.key == "model.adapter.active_parameters_b"
    assert "1.09375" in problem.message  # 8 of 256 experts of 35 B
    assert setup(TOY, adapter(MOE | {"active_parameters_b": 1.09375})).model.always_bytes == (
        pytest.approx(0, abs=1)
    )
    embedding = MOE | {"active_parameters_b": 2, "embedding_parameters_b": 1}
    assert fault(TOY, adapter(embedding)).key == "model.adapter.active_parameters_b"


def test_layers_of_an_adapter_keep_fractions_of_bytes():
    layers = [
        {"count": 2, "kind": "full", "bytes_per_token": 10.5},
        {"count": 3, "kind": "window", "window_tokens": 512, "bytes_per_token": 7},
        {"count": 4, "kind": "sparse", "bytes_per_token": 5, "selected_tokens": 64,
         "index_bytes_per_token": 1.5},
        {"count": 5, "kind": "state", "bytes": 1000},
    ]  # fmt: skip
    costs = setup(TOY, adapter(DENSE | {"cache": {"layers": layers}})).model
    assert cache_alloc_bytes(costs.cache, 1000, "windowed") == (
        2 * 10.5 * 1000 + 3 * 7 * 512 + 4 * 6.5 * 1000 + 5 * 1000
    )
    assert cache_read_bytes(costs.cache, 1000) == (
        2 * 10.5 * 1000 + 3 * 7 * 512 + 4 * (5 * 64 + 1.5 * 1000) + 5 * 1000
    )
    assert costs.cache_write_bytes_per_token == 2 * 10.5 + 3 * 7 + 4 * 5


def test_a_model_without_a_cache_is_no_decoder():
    for cache in (
        {"layers": []},
        {"alloc_gb_per_session": 0, "read_gb_per_token": 0},
        {"layers": [{"count": 1, "kind": "full", "bytes_per_token": 0}]},
    ):
        problem = fault(TOY, adapter(DENSE | {"cache": cache}))
        assert problem.key == "model.adapter.cache" and "not a decoder" in problem.message


def test_inline_bytes_are_as_stored_whatever_the_cache_format():
    typed = setup(TOY, adapter(DENSE), workload={"cache_format": "q4_0"})
    assert typed.model == setup(TOY, adapter(DENSE)).model
    assert told(typed, "cache precision").value == "as typed"


def test_the_prefill_part_of_an_adapter():
    prefill = {"linear_active_parameters_b": 7.9, "swept_gb": 71.28,
               "cache_write_bytes_per_token": 98304,
               "attention": [{"count": 2, "kind": "full", "query_width": 6144},
                             {"count": 1, "kind": "state", "flop_per_token": 8e6}]}  # fmt: skip
    costs = setup(TOY, adapter(DENSE | {"prefill": prefill})).model
    assert costs.linear_active_parameters == 7.9e9 and costs.head_parameters == 0
    assert costs.prefill_sweep_bytes == 71.28e9 and costs.cache_write_bytes_per_token == 98304
    assert [layer.kind for layer in costs.attention] == ["full", "state"]


def test_an_adapter_built_in_code_costs_the_same():
    layer = InlineLayer(count=1, kind="full", bytes_per_token=260_000)
    toy = InlineAdapter(
        total_parameters_b=32, bytes_per_parameter=0.5, cache=InlineCache(layers=(layer,))
    )
    assert written_out.model_costs(toy).always_bytes == 16e9


def test_a_share_below_the_need_is_a_caution_and_an_assumption():
    found = run(chosen(workload={"floor_tokens_per_s": 0}), LIBRARY)
    assert told(found.setup, "default accelerator share").value == 96 * 2**30 / 1e9
    assert found.result.decode.cautions[0].startswith("Fits after raising the memory limit")
    one = run(chosen(workload={"floor_tokens_per_s": 2000}), LIBRARY).result.decode
    assert one.best_batch is not None and not any("raising" in said for said in one.cautions)


def test_bad_input_becomes_the_evaluations_problem():
    found = run(chosen("nothing"), LIBRARY)
    assert found.result is None and found.problem.key == "hardware"
