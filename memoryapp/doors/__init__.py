"""What every door shares: errors, transactions, paging, strict parsing, pages and fragments."""
