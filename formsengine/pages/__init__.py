"""Forms in the browser: found, filled, reviewed, imported, taken out."""
