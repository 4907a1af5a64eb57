"""Which machine for this, and what can mine run: rankings, reverse search, comparisons.

field         what takes part, and its costs: `prepare`, once per library and formats
machines      machines and compositions that take part
compositions  compositions at a workload, and their figures
table         the ranking at a workload: `rank`, `Table`
order         sort, ranges, facets, search: row numbers from a table
columns       ids, titles, units of its columns
money         prices and what tokens cost
pairs         the figures behind a table, as arrays
sheet         any table as CSV, Markdown, JSON or text
requirements  what a buyer needs, and its file
search        which machines meet it, and the nearest misses
comparison    two to six evaluations side by side
crossings     from which batch on one overtakes another
value         what a value plot shows, and its Pareto front
printed       the ranking as the command line prints it
"""
