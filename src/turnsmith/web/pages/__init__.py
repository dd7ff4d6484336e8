"""The pages, one a file; each has ``add(host)``, which registers its links."""
