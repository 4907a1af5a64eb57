"""A drawing as SVG."""

from html import escape

from .drawing import Area, Disc, Drawing, Item, Label, Stroke


def to_svg(drawing: Drawing, title: str) -> str:
    """An `svg` element that stands inside HTML or in a file of its own."""
    width, height = _number(drawing.width), _number(drawing.height)
    shapes = "\n".join(_element(item) for item in drawing.items)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="sans-serif">\n<title>{escape(title)}</title>\n{shapes}\n</svg>'
    )


def _element(item: Item) -> str:
    if isinstance(item, Stroke):
        dash = f' stroke-dasharray="{" ".join(map(_number, item.dash))}"' if item.dash else ""
        return (
            f'<polyline points="{_points(item.points)}" fill="none" stroke="{item.colour}" '
            f'stroke-width="{_number(item.width)}"{dash}/>'
        )
    if isinstance(item, Area):
        stroke = f' stroke="{item.stroke}" stroke-width="{item.width}"' if item.stroke else ""
        return f'<polygon points="{_points(item.points)}" fill="{item.fill or "none"}"{stroke}/>'
    if isinstance(item, Disc):
        return (
            f'<circle cx="{_number(item.x)}" cy="{_number(item.y)}" r="{_number(item.radius)}" '
            f'fill="{item.fill}" stroke="{item.stroke}"/>'
        )
    return _label(item)


def _label(item: Label) -> str:
    x, y = _number(item.x), _number(item.y)
    turned = f' transform="rotate(-90 {x} {y})"' if item.upright else ""
    bold = ' font-weight="bold"' if item.bold else ""
    return (
        f'<text x="{x}" y="{y}" text-anchor="{item.anchor}" fill="{item.colour}" '
        f'font-size="{_number(item.size)}"{bold}{turned}>{escape(item.text)}</text>'
    )


def _points(points: tuple[tuple[float, float], ...]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
