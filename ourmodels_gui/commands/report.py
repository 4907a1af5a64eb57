"""`ourmodels report FILE... -o OUT`: a report as PDF, Markdown, HTML or CSV, without a display."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from .. import strict_json
from ..files import read_small
from ..problem import BadInput
from .terminal import BAD_INPUT, DONE, NO_FILE, Refused, all_in, reason

if TYPE_CHECKING:
    from ..ranking.requirements import Requirements
    from ..report.known import Known
    from ..report.shapes import Options, Report

SUFFIXES = (".pdf", ".md", ".html", ".csv")


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("report", help="write a report of one to six scenarios")
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="scenarios, a requirements file, or PDF reports"
    )
    parser.add_argument(
        "-o", "--output", required=True, type=Path, metavar="OUT", help="ends in " + _listed()
    )
    parser.add_argument("--title", default="", help="instead of the one that follows from it")
    parser.add_argument("--author", default="", metavar="NAME", help="a name on it")
    parser.add_argument("--logo", type=Path, metavar="PICTURE", help="a PNG or JPEG on page one")
    parser.add_argument("--note", default="", metavar="TEXT", help="your own words on page one")
    parser.add_argument("--date", default="", metavar="TEXT", help="printed as it is; else none")
    parser.add_argument("--letter", action="store_true", help="US Letter instead of A4")
    parser.add_argument("--sections", metavar="IDS", help="which ones, separated by commas")
    parser.set_defaults(run=run)


def run(asked: argparse.Namespace) -> int:
    from .. import paths  # noqa: PLC0415
    from ..files import write_whole  # noqa: PLC0415
    from ..library.load import load  # noqa: PLC0415
    from ..report.known import gather  # noqa: PLC0415

    suffix = asked.output.suffix.lower()
    if suffix not in SUFFIXES:
        raise Refused(f"{asked.output}: the name must end in {_listed()}", BAD_INPUT)
    options = _options(asked)
    catalog, user = paths.catalog(), paths.user_data()
    known = gather(load(catalog, user), catalog, user)
    data = _rendered(_built(asked.files, known, options), suffix)
    try:
        write_whole(asked.output, data)
    except (OSError, ValueError) as error:
        raise Refused(f"{asked.output}: cannot be written: {reason(error)}", NO_FILE) from None
    return DONE


def _built(names: list[str], known: "Known", options: "Options") -> "Report":
    """The report of all that the files hold; a problem names the file it is in."""
    from ..evaluation import run as evaluate  # noqa: PLC0415
    from ..report.build import build  # noqa: PLC0415
    from ..report.search_report import build_search  # noqa: PLC0415

    for name in names:
        needs = _requirements(name)
        if needs is not None and len(names) > 1:
            raise Refused(f"{name}: requirements make a report of their own", BAD_INPUT)
        if needs is not None:
            try:
                return build_search(needs, known, options)
            except BadInput as bad:
                raise Refused(f"{name}: {bad}", BAD_INPUT) from None
    evaluations = []
    for name in names:
        for scenario in all_in(name):
            done = evaluate(scenario, known.library)
            if done.problem is not None:
                raise Refused(f"{name}: {done.problem}", BAD_INPUT)
            evaluations.append(done)
    return build(evaluations, known, options)


def _requirements(name: str) -> "Requirements | None":
    """The requirements of a file, or of the report of a search; None where it holds none."""
    from ..ranking import requirements  # noqa: PLC0415
    from ..report.pdf_file import MAX_BYTES, attached, is_pdf  # noqa: PLC0415
    from ..report.search_report import REQUIREMENTS_NAME  # noqa: PLC0415

    try:
        content: bytes | None = read_small(Path(name), MAX_BYTES)
        if is_pdf(Path(name)):
            content = attached(content or b"", name).get(REQUIREMENTS_NAME)
    except (BadInput, OSError, ValueError):
        return None  # whoever reads it as a scenario says what is wrong
    if content is None or requirements.FORMAT.encode() not in content[:MAX_BYTES]:
        return None
    try:
        document = strict_json.parse(content)
    except BadInput:
        return None
    if not isinstance(document, dict) or document.get("format") != requirements.FORMAT:
        return None
    try:
        return requirements.read(content)
    except BadInput as bad:
        raise Refused(f"{name}: {bad}", BAD_INPUT) from None


def _options(asked: argparse.Namespace) -> "Options":
    from ..report.shapes import SECTIONS, Options  # noqa: PLC0415

    sections = None
    if asked.sections:
        sections = frozenset(part.strip() for part in asked.sections.split(","))
        if unknown := sorted(sections - set(SECTIONS)):
            raise Refused(
                f"--sections: no section {unknown[0]}; there are {', '.join(SECTIONS)}", BAD_INPUT
            )
    return Options(
        title=asked.title,
        author=asked.author,
        date=asked.date,
        note=asked.note,
        logo=_logo(asked.logo) if asked.logo else b"",
        sections=sections,
        paper="letter" if asked.letter else "a4",
    )


def _logo(path: Path) -> bytes:
    from ..report.shapes import LARGEST_LOGO_BYTES, is_picture  # noqa: PLC0415

    try:
        data = read_small(path, LARGEST_LOGO_BYTES)
    except (OSError, ValueError) as error:
        raise Refused(f"{path}: cannot be read: {reason(error)}", NO_FILE) from None
    if not is_picture(data):
        raise Refused(f"{path}: is neither a PNG nor a JPEG picture", BAD_INPUT)
    return data


def _rendered(report: "Report", suffix: str) -> bytes:
    if suffix == ".pdf":
        from ..gui.report import pdf  # noqa: PLC0415 - only the PDF needs Qt

        application = pdf.application()
        data = pdf.to_pdf(report)
        del application
        return data
    from ..report import csv_tables, html, markdown  # noqa: PLC0415

    render = {".md": markdown.to_markdown, ".html": html.to_html, ".csv": csv_tables.to_csv}
    return render[suffix](report)


def _listed() -> str:
    return f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
