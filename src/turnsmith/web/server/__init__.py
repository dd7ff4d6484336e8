"""The ground of the page: bounds on strangers, the guard before every request, threads for work."""
