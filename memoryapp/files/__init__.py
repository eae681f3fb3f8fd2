"""Where the thing is: a tree of directories and files with versions, links and rules of who may see which path."""
