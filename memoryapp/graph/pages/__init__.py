"""The graph's pages: beliefs to look through, one belief with everything behind it, changes to it, and one node."""
