"""Forms collected over a conversation or by staff: a pure engine that takes and gives plain data.

It stores nothing, asks no clock and knows no web framework: whoever calls it says who writes and what time it is.
"""
