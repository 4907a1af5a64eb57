"""A picture -> its drawing."""

from .draw_bars import draw_bars
from .draw_plot import draw_plot
from .drawing import Drawing
from .pictures import Bars, Picture


def draw(picture: Picture, width: float) -> Drawing:
    """The drawing of a picture, `width` points wide and as high as it needs."""
    if isinstance(picture, Bars):
        return draw_bars(picture, width)
    return draw_plot(picture, width)
