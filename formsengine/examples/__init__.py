"""Forms to begin with, written with the builder: they are published like any other."""
