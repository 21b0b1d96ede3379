# Tests bind the package to tiers in turn, so they run one after the other.
ExUnit.start(max_cases: 1, timeout: 300_000)
