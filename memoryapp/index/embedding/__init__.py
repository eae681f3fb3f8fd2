"""An embedder, when one is configured: vectors for the texts of the index, made by a job, and for each question.

Without `EMBEDDING_URL` nothing here is ever called, and text alone is searched.
"""
