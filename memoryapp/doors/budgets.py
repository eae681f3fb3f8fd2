"""How long a text is for a model: the one measure by which budgets are kept."""


def tokens(text: str) -> int:
    """How many tokens a text is taken to be: its UTF-8 bytes divided by four, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)
