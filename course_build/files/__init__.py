"""Files in and out: strict JSON and YAML with lines, typed reads, atomic writing, the exchange of whole folders."""
