"""Results that others have published, drawn beside ours."""
