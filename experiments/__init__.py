"""The science: plain kernels, models, recipes and their recorded runs."""
