"""The report: evaluations as a document of sections, tables and figures, and its plain renderings.

`build` makes the document; `markdown`, `html` and `csv_tables` render it without Qt. The PDF is
painted by `ourmodels_gui.gui.report` and finished by `pdf_file`.
"""

from .build import build
from .known import Known, gather
from .shapes import SECTIONS, Options, Report

__all__ = ["SECTIONS", "Known", "Options", "Report", "build", "gather"]
