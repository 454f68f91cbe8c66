# scikit-learn has no types. Classes that laconic inherits from are declared here for mypy, so that
# the strict check for base classes that are Any stays on; the rest of scikit-learn stays Any.
