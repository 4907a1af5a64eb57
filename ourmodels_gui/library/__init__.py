"""Everything one can choose: machines, models, weight and cache formats."""
