import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ourmodels_gui.ranking.field import FieldChoice, prepare
from ourmodels_gui.ranking.table import rank
from ourmodels_gui.ranking.value import pareto_front, value_plot

POINTS = st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8)), max_size=25)


@given(POINTS)
def test_the_front_is_what_no_point_beats(points):
    x, y = np.array(points, dtype=float).reshape(len(points), 2).T
    front = pareto_front(x, y)
    for place in range(len(points)):
        beaten = np.any((x <= x[place]) & (y >= y[place]) & ((x < x[place]) | (y > y[place])))
        assert front[place] == (not beaten)


def test_rows_without_a_figure_are_left_out_and_counted(library):
    table = rank(prepare(library, FieldChoice(weights="q4_k_m", models=("qwen3-30b-a3b",))))
    plot = value_plot(table)
    assert plot.rows.size + plot.left_out == len(table)
    known = np.isfinite(table.values("price")) & (table.values("aggregate_tokens_per_s") > 0)
    assert plot.rows.tolist() == np.flatnonzero(known).tolist()
    assert plot.front.any() and not plot.front.all()


def test_the_cheapest_row_that_serves_is_on_the_front(library):
    table = rank(prepare(library, FieldChoice(weights="q4_k_m", models=("qwen3-30b-a3b",))))
    plot = value_plot(table, "watts", "single_session_tokens_per_s")
    least = np.flatnonzero(plot.x == plot.x.min())
    assert plot.front[least[np.argmax(plot.y[least])]]
