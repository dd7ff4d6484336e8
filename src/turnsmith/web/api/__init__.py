"""The JSON API: routes, typed answers and server-sent events."""
