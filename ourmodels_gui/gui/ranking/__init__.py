"""The tabs that tell of many machines and models: Rank, Find, Compare."""
