"""Many deals: batches, records of them, measurements."""
