"""`python -m tests.golden` writes every golden file."""

from . import write

write()
