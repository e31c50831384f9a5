"""Odd inputs that are not yet refused in one sentence, by name, argument and case."""

KNOWN = {
    ("attacks.AutoAttack", "target", "unfriendly"),  # its own comparison raises
    ("attacks.StrongestAttack", "target", "unfriendly"),
    ("base.BaseAttack", "eps", "tensor"),  # an attack of one's own computes with it
    ("report.report_from_json", "", "valid"),  # its example removes the file
    ("metrics.by_group", "*0", "category"),  # read as objects by a metric of others
}
