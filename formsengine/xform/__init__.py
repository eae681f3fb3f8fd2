"""Forms written as XForms (ODK XML), read as the sheets they could have been made of."""
