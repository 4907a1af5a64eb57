"""What is left out of an input costs nothing and asks for nothing."""

from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Composition,
    Device,
    Draft,
    Machine,
    ModelCosts,
    ModelShape,
    Prompt,
    TypedCache,
)


def zeros(record, *given):
    """The numbers of a record beside those given."""
    values = {name: getattr(record, name) for name in record.__struct_fields__}
    return {
        name: value
        for name, value in values.items()
        if name not in given and isinstance(value, int | float) and not isinstance(value, bool)
    }


def test_a_layer_without_figures_holds_reads_and_computes_nothing():
    for record in (CacheLayer("state", 1), AttentionLayer("state", 1)):
        assert set(zeros(record, "count").values()) == {0}


def test_a_draft_without_figures_is_one_that_costs_nothing():
    assert Draft() == Draft(0.0, 0.0, (), TypedCache(0.0, 0.0), None, modules=1)


def test_a_model_has_no_head_unless_told():
    assert ModelCosts(1e9, 1e9, ()).head_parameters == 0.0
    assert ModelShape(64, 8).head_bytes == 0.0
    assert not ModelShape(64, 8).alike


def test_a_prompt_is_whole_and_behind_nothing():
    assert Prompt(100) == Prompt(100, cached_prefix_tokens=0, chunk_tokens=None, batch=None)


def test_a_device_is_one_that_needs_nothing_for_itself():
    device = Device("card", Machine(24e9, 900e9))
    assert device == Device("card", Machine(24e9, 900e9), overhead_bytes=0.0, count=1)
    assert not Composition((device,)).link_reduces
