import doctest
import importlib
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from report_cases import cases, evaluated, known

from ourmodels_gui.report.build import build
from ourmodels_gui.report.draw import draw
from ourmodels_gui.report.draw_plot import LEAST_GAP
from ourmodels_gui.report.drawing import Area, Disc, Label, Stroke, text_width
from ourmodels_gui.report.pictures import (
    LINE_STYLES,
    Axis,
    Bar,
    Bars,
    Level,
    Line,
    Plot,
    Point,
    Segment,
)
from ourmodels_gui.report.shapes import Figure
from ourmodels_gui.report.svg import to_svg

WIDTH = 487.0


@pytest.mark.parametrize(
    "name",
    [
        "answer",
        "assumptions",
        "build",
        "csv_tables",
        "drawing",
        "sensitivity",
        "shapes",
        "subject",
        "value",
    ],
)
def test_the_examples_of_the_docstrings(name):
    module = importlib.import_module(f"ourmodels_gui.report.{name}")
    assert doctest.testmod(module).failed == 0


def figures():
    for name in cases():
        for section in build(evaluated(name), known()).sections:
            for block in section.blocks:
                if isinstance(block, Figure):
                    yield pytest.param(block, id=f"{name}: {block.title}")


FIGURES = list(figures())


def points(item):
    if isinstance(item, Stroke | Area):
        return item.points
    if isinstance(item, Disc):
        return ((item.x - item.radius, item.y), (item.x + item.radius, item.y))
    wide = text_width(item.text, item.size)
    shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[item.anchor] * wide
    if item.upright:
        return ((item.x, item.y - wide + shift), (item.x, item.y + shift))
    return ((item.x - shift, item.y), (item.x - shift + wide, item.y))


@pytest.mark.parametrize("figure", FIGURES)
def test_nothing_is_drawn_outside_the_paper(figure):
    drawing = draw(figure.picture, WIDTH)
    assert drawing.items
    for item in drawing.items:
        for x, y in points(item):
            assert -0.5 <= x <= drawing.width + 0.5 and -0.5 <= y <= drawing.height + 0.5, item


@pytest.mark.parametrize("figure", FIGURES)
def test_names_beside_a_plot_do_not_overlap(figure):
    drawing = draw(figure.picture, WIDTH)
    right = max(
        (item.x for item in drawing.items if isinstance(item, Label) and item.anchor == "start"),
        default=0,
    )
    names = sorted(item.y for item in drawing.items if isinstance(item, Label) and item.x == right)
    if isinstance(figure.picture, Plot):
        assert all(below - above >= LEAST_GAP - 0.1 for above, below in pairwise(names))


@pytest.mark.parametrize("most", range(2, 16))
@pytest.mark.parametrize("best", range(1, 16))
def test_the_name_of_a_mark_keeps_clear_of_an_upright_level(best, most):
    if best > most:
        return
    xs = tuple(float(x) for x in range(1, 17))
    drawn = draw(
        Plot(
            Axis("sessions at once", "sessions"),
            Axis("tokens per second", "rate"),
            (Line("all sessions", 0, xs, tuple(100 + 5 * x for x in xs)),),
            (Point(f"b* = {best}", 0, float(best), 100 + 5.0 * best),),
            (Level(f"memory holds {most}", float(most), True),),
        ),
        480,
    )
    (mark,) = [item for item in drawn.items if isinstance(item, Label) and item.text[0] == "b"]
    (held,) = [item for item in drawn.items if isinstance(item, Label) and "holds" in item.text]
    (level,) = [i for i in drawn.items if isinstance(i, Stroke) and i.dash == (2, 2)]
    across = level.points[0][0]
    low, high = _extent(mark)
    assert not low < across < high
    apart = abs(mark.y - held.y) >= mark.size
    assert apart or high <= _extent(held)[0] or low >= _extent(held)[1]


def _extent(label):
    width = text_width(label.text, label.size)
    return (label.x, label.x + width) if label.anchor == "start" else (label.x - width, label.x)


@pytest.mark.parametrize("figure", FIGURES)
def test_the_svg_is_xml_with_every_item(figure):
    drawing = draw(figure.picture, WIDTH)
    root = ElementTree.fromstring(to_svg(drawing, figure.title))
    shapes = [child for child in root if not child.tag.endswith("title")]
    assert len(shapes) == len(drawing.items)
    assert not re.search(r"nan|inf", to_svg(drawing, ""))


def test_curves_and_fills_are_told_apart_without_colour():
    assert len({dash for _, dash, _ in LINE_STYLES}) == len(LINE_STYLES)
    assert len({marker for _, _, marker in LINE_STYLES}) == len(LINE_STYLES)
    fills = ("weights", "cache", "state", "draft", "overhead", "free")
    drawn = draw(Bars((Bar("", 6e9, tuple(Segment(fill, 1e9) for fill in fills)),)), WIDTH)
    hatching = []
    for fill in fills:
        one = draw(Bars((Bar("", 6e9, (Segment(fill, 6e9),)),)), WIDTH)
        slanting = [i for i in one.items if isinstance(i, Stroke) and i.width == 0.5]
        rising = {i.points[0][1] > i.points[1][1] for i in slanting}
        hatching.append((len(slanting), tuple(rising)))
    assert drawn.items and hatching[0] == (0, ()) and hatching[-1] == (0, ())
    assert len({entry for entry in hatching[1:-1]}) == 4


def test_bars_of_different_machines_share_one_scale():
    bars = Bars(tuple(Bar(n, c, (Segment("weights", c),)) for n, c in (("A", 10e9), ("B", 20e9))))
    areas = [item for item in draw(bars, WIDTH).items if isinstance(item, Area) and item.stroke]
    short, long = (area.points[1][0] - area.points[0][0] for area in areas[:2])
    assert long == pytest.approx(2 * short)


def test_an_extreme_plot_keeps_its_ticks_readable():
    axes = Axis("x", "tokens"), Axis("y", "rate")
    line = Line("", 0, (1.0, 1e7), (1e-6, 1e9))
    drawing = draw(Plot(*axes, (line,), levels=(Level("floor", 1e-6),)), WIDTH)
    ticks = [item for item in drawing.items if isinstance(item, Label) and item.anchor == "end"]
    assert 2 <= len(ticks) <= 12
    assert draw(Plot(*axes), WIDTH).items


def test_a_long_curve_loses_no_more_than_a_twentieth_of_a_point():
    xs = tuple(float(2**k) for k in range(16))
    ys = tuple(x**0.5 for x in xs)
    drawing = draw(Plot(Axis("x", "tokens"), Axis("y", "rate"), (Line("", 0, xs, ys),)), WIDTH)
    (curve,) = [i for i in drawing.items if isinstance(i, Stroke) and i.width == 1.6]
    assert len(curve.points) == 2
