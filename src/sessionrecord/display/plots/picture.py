"""The figure that plots return: a `matplotlib` figure that a notebook shows by itself. Imported only where `matplotlib` is there."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure

__all__ = ["Picture"]


class Picture(Figure):
    """A figure without `pyplot`: save it with `savefig`, change it through `axes`; as the last value of a cell it is shown."""

    def _repr_png_(self) -> bytes:
        file = BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()
