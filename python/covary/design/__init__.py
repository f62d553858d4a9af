"""What to measure next, in a domain or by a strategy of your own; labels for all of a pool; posterior densities."""
