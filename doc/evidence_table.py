"""The table of the guide: which clause each figure of a report speaks to."""

from skrobust.report.evidence.evidence_clauses import FIGURES, FRAMEWORKS


def evidence_table():
    """Return reStructuredText: one table for each regulation or standard."""
    lines = []
    for name, framework in FRAMEWORKS.items():
        lines += [f'``evidence="{name}"``: {framework.title}. {framework.source}', ""]
        lines += [".. list-table::", "   :header-rows: 1", "   :widths: 35 35 30", ""]
        rows = [("clause", "figures", "limits")]
        for clause in framework.clauses:
            figures = ", ".join(FIGURES[kind] for kind in clause.figures)
            title = f"**{clause.reference}**: {clause.subject}"
            rows.append((title, figures or "not measured", clause.limit))
        for row in rows:
            first, *others = row
            lines.append(f"   * - {first}")
            lines += [f"     - {cell}".rstrip() for cell in others]
        lines.append("")
    return "\n".join(lines) + "\n"
