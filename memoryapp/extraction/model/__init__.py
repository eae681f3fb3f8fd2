"""Reading with a language model, where one is configured: beside the rules, and never in their way.

What the model says are candidates like any other: of declared kinds, each with words that stand in the named turn, and
each before the workspace's policy. Nothing that is said in a turn can make it more than that.
"""
