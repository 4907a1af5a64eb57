"""What is asked, at the left: a machine, a model, and how they are used."""
