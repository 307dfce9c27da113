"""One command of the command line in each file; what they share is in terminal.py.

Nothing heavy is imported before a command needs it: `course show` must answer at once.
"""
