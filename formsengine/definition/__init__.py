"""What a form is: its questions in steps, its rules, its gates and its texts, as one stored, versioned document."""
