"""Declared facts become ledger records: inputs, evaluation, derivations, the lock."""
