"""Live components in a real Chromium."""
