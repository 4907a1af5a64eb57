import msgspec
import pytest
from model_files import ROOT, model, model_ids, small

from ourmodels_gui.library.check_models import check_model
from ourmodels_gui.library.models import (
    Audit,
    ExpertSet,
    LayerGroup,
    Mtp,
    Published,
    Reference,
    Tensors,
)

SOURCES = msgspec.json.decode((ROOT / "catalog" / "sources-models.json").read_bytes())
FULL = small().layers[0]
WINDOW = small().layers[1]


def without(tensor_class: str) -> tuple[Tensors, ...]:
    return tuple(group for group in small().tensors if group.tensor_class != tensor_class)


def changed(struct, **fields):
    return msgspec.structs.replace(struct, **fields)


def experts(**fields) -> tuple[ExpertSet, ...]:
    return (changed(small().experts[0], **fields),)


def test_the_small_model_makes_sense():
    assert check_model(small(), "small.json") == []


FAULTS = {
    "total": (dict(published_parameters=3000), "published_parameters", "2,632"),
    "no total": (dict(published_parameters=None), "published_parameters", "no total"),
    "audited without layers": (dict(layers=None), "layers", "audited"),
    "unaudited without a reason": (dict(audit=Audit("unaudited")), "audit.missing", "missing"),
    "no table": (dict(tensors=without("input_embedding")), "tensors", "input embedding"),
    "width": (dict(hidden_width=16), "hidden_width", "8 wide"),
    "tied with a head": (dict(tied=True), "tied", "output_head"),
    "untied without a head": (dict(tensors=without("output_head")), "tied", "output_head"),
    "k is E": (dict(experts=experts(per_token=4)), "experts[0].per_token", "dense"),
    "E": (dict(experts=experts(routed=5)), "experts[0].routed", "5 experts"),
    "undeclared experts": (dict(experts=()), "tensors", "add such a set"),
    "expert width": (dict(experts=experts(width=5)), "experts[0].width", "say 4"),
    "MoE layers": (dict(experts=experts(layers=2)), "experts[0].layers", "are in 1"),
    "window missing": (
        dict(layers=(FULL, changed(WINDOW, window_tokens=0))), "layers[1].window_tokens", "needs"),
    "window of a full layer": (
        dict(layers=(changed(FULL, window_tokens=10), WINDOW)), "layers[0].window_tokens", "full"),
    "window beyond the context": (
        dict(layers=(FULL, changed(WINDOW, window_tokens=2000))), "layers[1].window_tokens",
        "beyond"),
    "heads": (dict(layers=(changed(FULL, query_heads=0), WINDOW)), "layers[0].query_heads", "give"),
    "key heads": (dict(layers=(changed(FULL, key_heads=0), WINDOW)), "layers[0].key_heads", "give"),
    "uneven heads": (
        dict(layers=(changed(FULL, query_heads=3, key_heads=2), WINDOW)), "layers[0].key_heads",
        "divide"),
    "latent": (dict(layers=(changed(FULL, kind="latent"), WINDOW)), "layers[0].latent_width",
               "rank"),
    "sparse": (dict(layers=(changed(FULL, kind="sparse"), WINDOW)), "layers[0].selected_entries",
               "entries"),
    "state": (dict(layers=(FULL, WINDOW, LayerGroup("state", 1))), "layers[2].state_elements",
              "needs"),
    "too many layers": (dict(layer_count=1), "layer_count", "2 attending"),
    "key widths": (dict(layers=(changed(FULL, key_width=4), WINDOW)), "layers", "key heads"),
    "value widths": (dict(layers=(changed(FULL, value_width=4), WINDOW)), "layers", "value heads"),
    "draft without layers": (
        dict(tensors=(*small().tensors, Tensors("norms", 1, (8,), part="mtp")),
             published_parameters=2640), "mtp", "describe"),
    "draft without tensors": (dict(mtp=Mtp(1, (FULL,))), "tensors", "part mtp"),
    "encoding": (
        dict(tensors=(*without("norms"), Tensors("norms", 5, (8,), encoding="fp7"))), "tensors",
        "fp7"),
    "published format": (dict(published={"q9": Published()}), "published.q9", "unknown format"),
    "published encoding": (
        dict(published={"nvfp4": Published(encodings={"attention": "fp7"})}),
        "published.nvfp4.encodings", "fp7"),
    "licence_of_no_name": (dict(licence=" "), "licence", "its name"),
    "date": (dict(released="April 2025"), "released", "2026-03-31"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault):
    changes, key, said = FAULTS[fault]
    found = check_model(small(**changes), "small.json")
    assert any(problem.key == key and said in problem.message for problem in found), found
    assert all(problem.place == "small.json" for problem in found)


def test_an_explained_difference_is_no_fault():
    audit = Audit("audited", explanation="The maker rounds.")
    assert check_model(small(published_parameters=3000, audit=audit), "small.json") == []


SAID = {
    "shapes": Reference("here"),
    "layers": Reference("here"),
    "context": Reference("here"),
    "total": Reference("here"),
}


@pytest.mark.parametrize("fact", SAID)
def test_a_fact_without_a_source_is_found(fact):
    record = small(sources={name: said for name, said in SAID.items() if name != fact})
    (problem,) = check_model(record, "small.json", {"here"})
    assert problem.key == f"sources.{fact}"


def test_a_source_that_does_not_exist_is_found():
    (problem,) = check_model(
        small(sources=SAID | {"total": Reference("there")}), "small.json", {"here"}
    )
    assert problem.key == "sources.total.source"


def test_a_source_for_an_absent_fact_is_found():
    (problem,) = check_model(
        small(sources=SAID | {"licence": Reference("here")}), "small.json", {"here"}
    )
    assert problem.key == "sources.licence"


@pytest.mark.parametrize("name", model_ids())
def test_the_catalogs_model_makes_sense(name):
    assert check_model(model(name), name, SOURCES) == []


def test_every_source_is_used():
    used = {reference.source for name in model_ids() for reference in model(name).sources.values()}
    assert used == set(SOURCES)
