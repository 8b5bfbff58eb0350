"""Medians with their spread, and how they are written."""

import statistics


def summary(values):
    """Median and quartiles, or None of nothing."""
    if not values:
        return None
    if len(values) == 1:
        return {"median": values[0], "low": values[0], "high": values[0]}
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return {"median": statistics.median(values), "low": low, "high": high}


def number(value):
    """Three digits that count."""
    if value is None:
        return "–"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.0995 else f"{value:.2g}"


def spread(figure):
    """`median (lower–upper quartile)`."""
    if figure is None:
        return "–"
    return f"{number(figure['median'])} ({number(figure['low'])}–{number(figure['high'])})"


def ratio(figure, to):
    """Of two medians; None where one is missing."""
    if figure is None or to is None:
        return None
    return figure["median"] / to["median"]


def times(value):
    """A ratio, written."""
    return "–" if value is None else f"{value:.2f}"


def least(*figures):
    """The one with the lowest median."""
    there = [figure for figure in figures if figure is not None]
    return min(there, key=lambda figure: figure["median"], default=None)


def table(head, rows):
    """A Markdown table."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)] + rows
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def slope(points):
    """Exponent of y = a·x^b through the points, by least squares of the logarithms."""
    import math

    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)
