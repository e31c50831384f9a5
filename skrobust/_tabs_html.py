"""Tabs of a notebook: HTML and CSS alone, without scripts."""

import html
from uuid import uuid4

# Which names of results are about what; all others are the results themselves.
_TOPICS = {
    "Checks": (
        "warnings",
        "skipped",
        "not_certified",
        "untouched_columns",
        "untouched_dependence",
        "left_out",
        "dropped",
        "refused",
        "idle_kinds",
        "changed",
        "distortion",
        "distortion_unit",
    ),
    "Data": (
        "n_samples",
        "n_clusters",
        "n_groups",
        "confidence",
        "clusters",
        "groups",
        "constant_model_accuracy",
        "split",
        "n_resamples",
    ),
    "Model": (
        "estimator",
        "attack",
        "certificate",
        "eps",
        "norm",
        "modes",
        "temperature",
        "metric",
    ),
}
# Colours are those of the page, so that the tabs read on light and on dark ones.
_STYLE = (
    "#ID>input{position:absolute;opacity:0}"
    "#ID>label{display:inline-block;padding:.2em .8em;cursor:pointer;opacity:.65;"
    "border-bottom:2px solid transparent}"
    "#ID>input:checked+label{opacity:1;border-bottom-color:currentColor}"
    "#ID>input:focus-visible+label{outline:2px solid currentColor}"
    "#ID>div{padding:.5em 0}"
    # Browsers that cannot show one part (before 2023) show all.
    "@supports selector(:has(*)){#ID>div{display:none}}"
)


def topic_of(name):
    """Return the tab of a name of results."""
    return next((t for t, names in _TOPICS.items() if name in names), "Results")


def tabs_html(tabs):
    """Return parts of HTML as tabs of which one is shown.

    Parameters
    ----------
    tabs : dict of str to str
        HTML by title; empty parts are left out, and a single one has no tabs.

    Returns
    -------
    str
        Radio buttons and style sheet; where a page forbids these, all parts are shown.
    """
    tabs = {title: body for title, body in tabs.items() if body}
    if len(tabs) < 2:
        return "".join(tabs.values())
    own = f"skrobust-{uuid4().hex[:10]}"  # pages hold many, of several sessions
    rules, heads, bodies = [_STYLE.replace("ID", own)], [], []
    for i, (title, body) in enumerate(tabs.items()):
        checked = "" if i else " checked"
        heads.append(
            f'<input type="radio" name="{own}" id="{own}-{i}"{checked}>'
            f'<label for="{own}-{i}">{html.escape(title)}</label>'
        )
        bodies.append(f'<div class="tab-{i}">{body}</div>')
        rules.append(f"#{own}:has(>#{own}-{i}:checked)>.tab-{i}{{display:block}}")
    style = f"<style>{''.join(rules)}</style>"
    return f'<div id="{own}">{style}{"".join(heads)}{"".join(bodies)}</div>'
