"""Kernel of the ridges of gradients."""


def mark_ridges(size, down, right, low, out):
    """Mark where a gradient is at least ``low`` and no smaller than on either side."""
    n, height, width = size.shape
    for image in range(n):
        for y in range(height):
            for x in range(width):
                here = size[image, y, x]
                out[image, y, x] = False
                if not here >= low:
                    continue
                d, r = abs(down[image, y, x]), abs(right[image, y, x])
                i = 1 if down[image, y, x] >= 0 else -1
                j = 1 if right[image, y, x] >= 0 else -1
                larger, smaller = (d, r) if d >= r else (r, d)
                share = smaller / (larger if larger > 0 else 1.0)
                along, across = (i, 0) if d >= r else (0, j)
                ridge = True
                for sign in (1, -1):
                    straight = diagonal = 0.0
                    a, b = y + sign * along, x + sign * across
                    if 0 <= a < height and 0 <= b < width:
                        straight = size[image, a, b]
                    a, b = y + sign * i, x + sign * j
                    if 0 <= a < height and 0 <= b < width:
                        diagonal = size[image, a, b]
                    ridge = ridge and here >= straight * (1 - share) + diagonal * share
                out[image, y, x] = ridge
