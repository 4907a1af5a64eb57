"""The report on paper: pages, the PDF, and the dialog with its preview."""
