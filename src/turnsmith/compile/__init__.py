"""From Python functions to machine code: kernels, their digests, the cache, and random streams inside them."""
