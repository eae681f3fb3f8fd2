"""Files that are bytes: kept by id in the file storage, told by what they are, read as text by a job within limits."""
