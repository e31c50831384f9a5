"""Kernel of the places that a smooth field and an affine map lead to."""


def bend_places(field, scale, affine, unit, rows, columns):
    """Move all pixels by a field, and these places by an affine map of each image.

    ``field`` of shape (n, 2, height, width) counts in units of ``scale``. ``affine`` of
    shape (n, 2, 3) holds a shift, and what each row and column adds to it, counted from
    the centre in lengths of ``unit``.
    """
    n, _, height, width = field.shape
    middle, centre = (height - 1) / 2, (width - 1) / 2
    for i in range(n):
        a, b, c = affine[i, 0, 0], affine[i, 0, 1], affine[i, 0, 2]
        d, e, f = affine[i, 1, 0], affine[i, 1, 1], affine[i, 1, 2]
        for y in range(height):
            downs, rights = field[i, 0, y], field[i, 1, y]
            new_row, new_column, start = rows[i, y], columns[i, y], y - middle
            for x in range(width):
                row = start + scale * downs[x]
                column = (x - centre) + scale * rights[x]
                far, aside = row / unit, column / unit
                new_row[x] = (row + ((a + b * far) + c * aside)) + middle
                new_column[x] = (column + ((d + e * far) + f * aside)) + centre
