"""The report of a matrix: one HTML file with its runs, figures and machines."""
