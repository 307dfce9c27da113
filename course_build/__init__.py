"""A course-site generator whose numbers cannot lie."""
