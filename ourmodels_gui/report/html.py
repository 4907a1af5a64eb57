"""A report as one HTML page: nothing is loaded from elsewhere, charts are SVG inside it."""

from base64 import b64encode
from collections.abc import Iterator
from html import escape

from .draw import draw
from .shapes import Block, Bullets, Figure, Heading, Report, Section, Table, Text
from .svg import to_svg

WIDTH = 520.0
"""Of the charts, in points."""

STYLE = """
:root { color-scheme: light }
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; background: #fff;
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 }
h2 { font-size: 1.25rem; border-bottom: 1px solid #d0d7de; margin: 2rem 0 .75rem }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem }
h1, h2, h3, td, th, p, li { overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; font-size: .85rem;
  font-variant-numeric: tabular-nums }
caption { text-align: left; font-weight: 600; padding: .25rem 0 }
th { text-align: left; border-bottom: 1.5px solid #57606a; vertical-align: bottom;
  white-space: pre-line }
th, td { padding: .2rem .5rem .2rem 0 }
td { border-bottom: 1px solid #d0d7de; vertical-align: top; white-space: pre-line }
.n { text-align: right; padding: .2rem 0 .2rem .5rem }
tr.strong td { font-weight: 600 }
.lead { font-size: 1.15rem; font-weight: 600 }
.muted, figcaption, .by { color: #57606a; font-size: .85rem }
.caution { border-left: 3px solid #8a5a00; padding-left: .6rem }
figure { margin: 1rem 0 } svg { width: 100%; height: auto }
img { max-height: 3.5rem; max-width: 14rem; float: right }
@media print { h2, h3, figure, tr { break-inside: avoid } h2, h3 { break-after: avoid }
  body { margin: 0; max-width: none; font-size: 10pt } details { display: none } }
"""


def to_html(report: Report) -> bytes:
    """The whole report; the attachments are links that hold their files."""
    return ("\n".join(_lines(report)) + "\n").encode()


def _lines(report: Report) -> Iterator[str]:
    byline = " · ".join(part for part in (report.author, report.date, report.versions) if part)
    author = f'<meta name="author" content="{escape(report.author)}">' if report.author else ""
    yield "<!DOCTYPE html>"
    yield f'<html lang="en"><head><meta charset="utf-8"><title>{escape(report.title)}</title>'
    yield f'<meta name="generator" content="{escape(report.versions)}">{author}'
    yield '<meta name="viewport" content="width=device-width">'
    yield f"<style>{STYLE}</style></head><body>"
    if report.logo:
        kind = "png" if report.logo.startswith(b"\x89PNG") else "jpeg"
        yield f'<img alt="" src="data:image/{kind};base64,{b64encode(report.logo).decode()}">'
    yield f'<h1 dir="auto">{escape(report.title)}</h1><p class="by">{escape(byline)}</p>'
    yield f'<p class="question" dir="auto">{escape(report.question)}</p>'
    for section in report.sections:
        yield from _section(section)
    yield "<h2>Attached</h2><ul>"
    for attached in report.attachments:
        data = b64encode(attached.data).decode()
        yield (
            f'<li><a download="{escape(attached.name)}" '
            f'href="data:application/json;base64,{data}">{escape(attached.name)}</a>, '
            f"{escape(attached.description)}</li>"
        )
    yield "</ul></body></html>"


def _section(section: Section) -> Iterator[str]:
    yield f'<section id="{section.id}"><h2>{escape(section.title)}</h2>'
    named = {block.name for block in section.blocks if isinstance(block, Table)}
    for block in section.blocks:
        yield from _block(block, named)
    yield "</section>"


def _block(block: Block, named: set[str]) -> Iterator[str]:
    if isinstance(block, Text):
        kind = "" if block.style == "body" else f' class="{block.style}"'
        yield f'<p{kind} dir="auto">{escape(block.text)}</p>'
    elif isinstance(block, Heading):
        yield f'<h3 dir="auto">{escape(block.text)}</h3>'
    elif isinstance(block, Bullets):
        yield "<ul>"
        for lead, item in block.items:
            bold = f"<b>{escape(lead)}</b> " if lead else ""
            yield f'<li dir="auto">{bold}{escape(item)}</li>'
        yield "</ul>"
    elif isinstance(block, Figure):
        yield f"<figure>{to_svg(draw(block.picture, WIDTH), block.title)}"
        yield f"<figcaption><b>{escape(block.title)}.</b> {escape(block.caption)}</figcaption>"
        if block.table.name not in named:
            yield "<details><summary>As a table</summary>"
            yield from _table(block.table)
            yield "</details>"
        yield "</figure>"
    else:
        yield from _table(block)


def _table(table: Table) -> Iterator[str]:
    if not table.rows:
        return
    caption = f'<caption dir="auto">{escape(table.title)}</caption>' if table.title else ""
    yield f"<table>{caption}<thead><tr>"
    kinds = [' class="n"' if column.numeric else ' dir="auto"' for column in table.columns]
    for column, kind in zip(table.columns, kinds, strict=True):
        yield f'<th scope="col"{kind}>{escape(column.title)}</th>'
    yield "</tr></thead><tbody>"
    for place, row in enumerate(table.rows):
        strong = ' class="strong"' if place in table.strong else ""
        cells = (f"<td{kind}>{escape(text)}</td>" for text, kind in zip(row, kinds, strict=True))
        yield f"<tr{strong}>{''.join(cells)}</tr>"
    yield "</tbody></table>"
    if table.note:
        yield f'<p class="muted">{escape(table.note)}</p>'
