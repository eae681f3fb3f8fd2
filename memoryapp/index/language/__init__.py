"""A language model, when one is configured: one question, one answer that keeps to a schema, and what it cost.

Rooms above say what to ask and what to make of the answer. Without `MODEL_URL` nothing here is ever called.
"""
