"""What a user depends on, proved."""
