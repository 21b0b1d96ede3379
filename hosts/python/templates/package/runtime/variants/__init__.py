# Made by tierup; the same in every package.
"""A module for each way to call the functions. `tiers.py` defines what each module must have."""
