"""Forms written in spreadsheets (XLSForm), read with a report of what was taken, changed and not understood."""
