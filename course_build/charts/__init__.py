"""Declared figures become HTML: a closed world of plotted numbers, the data table, the drawing."""
