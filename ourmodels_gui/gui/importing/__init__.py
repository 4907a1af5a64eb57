"""Models from their own files."""
