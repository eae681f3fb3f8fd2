"""The language of rules: typed, total and bounded. A rule that compiles always ends and never raises.

`${age} >= 18 and selected(${symptoms}, 'fever')`. A field is `${name}`, the answer a constraint judges is `.`, and
inside a choice filter a bare word is an attribute of the choice. Text stands in quotes.
"""
