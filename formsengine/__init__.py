"""Forms collected over a conversation or by staff.

The core (definition, expressions, values, evaluation, log, view, xlsform) is a pure engine that takes and gives plain
data: it stores nothing, asks no clock and knows no web framework. Around it stands a room of the product that stores
forms and responses, opens them to agents and people, and writes what was submitted into memory.
"""
