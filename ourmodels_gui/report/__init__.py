"""The report: evaluations as a document of sections, tables and figures, and its plain renderings.

build       evaluations -> document; search_report, for requirements
known       what it may draw on: library, prices, published runs
shapes      sections, tables, figures, options; pictures, figures as data
markdown, html, csv_tables   the document as text; draw and svg, its charts
pdf_file    what a PDF carries beside its pages: bookmarks, metadata, attachments

The pages of the PDF are painted by `ourmodels_gui.gui.report`.
"""
