"""Pictures of the explanations; each file is one, and its `draw` returns the figure."""
