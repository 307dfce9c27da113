"""LaTeX with marked terms becomes MathML, and the font that it is set in."""
