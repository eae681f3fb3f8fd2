"""Between a form and memory: what memory offers to be asked about, and what a submission writes into it."""
