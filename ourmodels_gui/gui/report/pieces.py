"""Blocks of a report -> pieces of paper that no page break may cut."""

from collections.abc import Callable, Iterator

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from ...report.draw import draw
from ...report.shapes import Block, Bullets, Figure, Heading, Report, Section, Table, Text
from .drawn import paint_drawing
from .lettering import POINT, Lines, Type
from .sheet import table_pieces

Paint = Callable[[QPainter, float, float], None]

INK, MUTED, RULE, AMBER = "#1B1F24", "#57606A", "#8C959F", "#8A5A00"
STYLES = {
    "body": Type(9.5, colour=INK),
    "lead": Type(12, bold=True, colour=INK),
    "muted": Type(8.5, colour=MUTED),
    "caution": Type(9.5, colour=INK),
}
WHOLE_LINES = 6
"""A paragraph of more lines may be cut between two of them."""


class Piece:
    """What stays together. before: space above it, dropped at the top of a page.

    keeps: stays on the page of the next piece. head: repeated where a new page begins before the
    piece. mark: title and level of a bookmark to it.
    """

    def __init__(
        self,
        height: float,
        paint: Paint,
        *,
        before: float = 0.0,
        keeps: bool = False,
        head: "Piece | None" = None,
        mark: tuple[str, int] | None = None,
    ) -> None:
        self.height = height
        self.paint = paint
        self.before = before
        self.keeps = keeps
        self.head = head
        self.mark = mark


def report_pieces(report: Report, width: float) -> Iterator[Piece]:
    """The whole report in order."""
    yield from _opening(report, width)
    for section in report.sections:
        yield from _section(section, width)


def _opening(report: Report, width: float) -> Iterator[Piece]:
    """Logo, title, by whom and when, the question."""
    room = width
    logo = QImage.fromData(QByteArray(report.logo)) if report.logo else QImage()
    if not logo.isNull():
        tall, wide = 40 * POINT, 130 * POINT
        scale = min(tall / logo.height(), wide / logo.width())
        shown = QRectF(0, 0, logo.width() * scale, logo.height() * scale)
        room = width - shown.width() - 12 * POINT
    title = Lines(report.title, Type(18, bold=True), room)

    def opening(painter: QPainter, x: float, y: float) -> None:
        title.paint(painter, x, y)
        if not logo.isNull():
            painter.drawImage(shown.translated(x + width - shown.width(), y), _sharp(logo, shown))

    height = title.height if logo.isNull() else max(title.height, shown.height())
    yield Piece(height, opening, keeps=True, mark=(report.title, 0))
    byline = " · ".join(part for part in (report.author, report.date) if part)
    if byline:
        yield _text(Lines(byline, Type(9.5, colour=MUTED), width), before=3, keeps=True)
    yield from _paragraph(report.question, Type(10.5, colour=INK), width, before=5)


def _sharp(logo: QImage, shown: QRectF) -> QImage:
    """At most 300 dots an inch, so that a photograph does not swell the file."""
    wide = round(shown.width() / POINT / 72 * 300)
    if logo.width() <= wide:
        return logo
    return logo.scaledToWidth(max(wide, 1), Qt.TransformationMode.SmoothTransformation)


def _section(section: Section, width: float) -> Iterator[Piece]:
    title = Lines(section.title, Type(13, bold=True), width)

    def heading(painter: QPainter, x: float, y: float) -> None:
        title.paint(painter, x, y)
        painter.fillRect(QRectF(x, y + title.height + 2 * POINT, width, 0.7 * POINT), QColor(RULE))

    yield Piece(
        title.height + 6 * POINT,
        heading,
        before=16 * POINT,
        keeps=True,
        mark=(section.title, 1),
    )
    for block in section.blocks:
        yield from _block(block, width)


def _block(block: Block, width: float) -> Iterator[Piece]:
    if isinstance(block, Text):
        if block.style == "caution":
            yield _caution(block.text, width)
        else:
            yield from _paragraph(block.text, STYLES[block.style], width)
    elif isinstance(block, Heading):
        yield _heading(block.text, width)
    elif isinstance(block, Bullets):
        for lead, item in block.items:
            yield from _paragraph(item, STYLES["body"], width, before=2.5, lead=lead)
    elif isinstance(block, Figure):
        yield _figure(block, width)
    elif block.rows:
        yield from _table(block, width)


def _text(lines: Lines, *, before: float = 4, keeps: bool = False) -> Piece:
    return Piece(lines.height, lines.paint, before=before * POINT, keeps=keeps)


def _heading(text: str, width: float, before: float = 11) -> Piece:
    lines = Lines(text, Type(10.5, bold=True), width)
    return Piece(lines.height + POINT, lines.paint, before=before * POINT, keeps=True)


def _paragraph(
    text: str, type_: Type, width: float, *, before: float = 4, lead: str = ""
) -> Iterator[Piece]:
    """One piece, or one for each line where there are many; the first and last two together."""
    lines = Lines(text, type_, width, lead=lead)
    if lines.count <= WHOLE_LINES:
        yield _text(lines, before=before)
        return
    for index in range(lines.count):

        def line(painter: QPainter, x: float, y: float, index: int = index) -> None:
            lines.paint_line(index, painter, x, y)

        yield Piece(
            lines.line_height,
            line,
            before=0.0 if index else before * POINT,
            keeps=index in (0, lines.count - 2),
        )


def _caution(text: str, width: float) -> Piece:
    bar, gap = 2 * POINT, 8 * POINT
    lines = Lines(text, STYLES["caution"], width - gap)

    def paint(painter: QPainter, x: float, y: float) -> None:
        painter.fillRect(QRectF(x, y, bar, lines.height), QColor(AMBER))
        lines.paint(painter, x + gap, y)

    return Piece(lines.height, paint, before=6 * POINT)


def _figure(figure: Figure, width: float) -> Piece:
    """Title, drawing and caption."""
    title = Lines(figure.title, Type(10.5, bold=True), width)
    drawing = draw(figure.picture, width / POINT)
    caption = Lines(figure.caption, STYLES["muted"], width)
    top = title.height + 4 * POINT
    below = top + drawing.height * POINT + 3 * POINT

    def paint(painter: QPainter, x: float, y: float) -> None:
        title.paint(painter, x, y)
        paint_drawing(painter, drawing, x, y + top)
        caption.paint(painter, x, y + below)

    return Piece(below + caption.height, paint, before=8 * POINT)


def _table(table: Table, width: float) -> Iterator[Piece]:
    if table.title:
        yield _heading(table.title, width, before=9)
    head, rows = table_pieces(table, width)
    header = Piece(head.height, head.paint, before=3 * POINT, keeps=True)
    yield header
    last = len(rows) - 1
    for place, row in enumerate(rows):
        keeps = place in (0, last - 1) or place in table.strong
        keeps = keeps if place < last else bool(table.note)
        yield Piece(row.height, row.paint, keeps=keeps, head=header)
    if table.note:
        yield _text(Lines(table.note, STYLES["muted"], width))
