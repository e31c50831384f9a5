"""Results that are shown as lines of text, in the terminal and in notebooks."""

import html


class ResultLines:
    """Mixin of results: text and HTML from ``_lines()``, which a result writes."""

    def __str__(self):
        return "\n".join(self._lines())

    def _repr_html_(self):
        return f"<p>{'<br>'.join(html.escape(line) for line in self._lines())}</p>"
