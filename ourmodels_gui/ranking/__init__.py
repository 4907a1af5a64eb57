"""Which machine for this, and what can mine run: rankings, reverse search, comparisons."""
