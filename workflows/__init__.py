"""How runs are planned and joined; no training code."""
