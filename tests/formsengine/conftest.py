"""The engine needs no database and no web framework: its tests ask for neither."""
