"""Clauses of regulations and standards, and the figures that speak to them.

This is the one place of the mapping: the report, its twins and the table of the guide
are made from it. The mapping is ours and no legal advice.
"""

from typing import NamedTuple

RECORD = "record"
# Kinds of figures, by the name that the clauses use.
FIGURES = {
    "clean": "score on clean rows",
    "metrics": "further metrics on clean rows",
    "conditions": "mean score under perturbations",
    "stability": "Accuracy-Stability Index",
    "worst": "score under the worst condition",
    "weakness": "loss by the part of the input that the worst condition rests on",
    "groups": "scores of groups and their range",
    "periods": "scores of periods and their stability index",
    "attacks": "score under attack",
    "ratio": "robust ratio",
    "certified": "certified robust accuracy",
    "doubts": "signs of overstated robustness",
    "needs": "stated thresholds with lower limits",
    RECORD: "record of data, models, seeds, versions and call",
}


class Clause(NamedTuple):
    """One clause: its reference, its subject, kinds of figures, and what they lack."""

    reference: str
    subject: str
    figures: tuple = ()
    limit: str = ""


class Framework(NamedTuple):
    """One regulation or standard with the clauses that a report is read against."""

    title: str
    source: str
    clauses: tuple


_ROBUST = ("conditions", "stability", "worst")

_EU = Framework(
    "Regulation (EU) 2024/1689 (Artificial Intelligence Act)",
    "References as published in OJ L, 2024/1689, 12.7.2024. Later amendments, such as "
    "Regulation (EU) 2026/1744, are not taken into account. The articles apply to "
    "high-risk AI systems; whether a system is one is not judged here.",
    (
        Clause(
            "Article 9(6)",
            "testing: consistent performance for the intended purpose",
            ("clean", "conditions", "worst", "weakness"),
            "The intended purpose and the choice of risk management measures were not "
            "examined.",
        ),
        Clause(
            "Article 9(7)",
            "testing in real-world conditions",
            (),
            "All rows were given as a data set.",
        ),
        Clause(
            "Article 9(8)",
            "testing against prior defined metrics and probabilistic thresholds",
            ("needs",),
            "When the thresholds were defined is not recorded.",
        ),
        Clause(
            "Article 10(2)(f)",
            "examination of the data in view of possible biases",
            ("groups",),
            "The scores of the groups that were given were compared on the rows "
            "scored; the training data were not examined.",
        ),
        Clause(
            "Article 10(2)(g)",
            "measures to detect, prevent and mitigate possible biases",
            ("groups",),
            "The comparison of groups may detect; it prevents and mitigates nothing.",
        ),
        Clause(
            "Article 13(3)(b)(ii)",
            "instructions for use: level of accuracy, robustness and cybersecurity "
            "tested, and circumstances that may change it",
            ("clean", "metrics", *_ROBUST, "weakness", "attacks"),
            "Circumstances other than the conditions tested were not measured.",
        ),
        Clause(
            "Article 15(1)",
            "level of accuracy, robustness and cybersecurity, and consistent "
            "performance throughout the lifecycle",
            ("clean", "conditions", "attacks", "periods"),
            "Which level is appropriate was not examined; periods are those of the "
            "rows given.",
        ),
        Clause(
            "Article 15(3)",
            "levels of accuracy and accuracy metrics to be declared",
            ("clean", "metrics"),
        ),
        Clause(
            "Article 15(4), first subparagraph",
            "resilience regarding errors, faults or inconsistencies",
            (*_ROBUST, "weakness"),
            "Errors of input rows were simulated; interaction with persons or other "
            "systems was not.",
        ),
        Clause(
            "Article 15(4), second subparagraph",
            "technical redundancy, such as backup or fail-safe plans",
            (),
            "The model alone was measured.",
        ),
        Clause(
            "Article 15(4), third subparagraph",
            "feedback loops of systems that continue to learn",
            ("periods",),
            "The model was not trained further, so that no loop was observed; periods "
            "show change over time whatever its cause.",
        ),
        Clause(
            "Article 15(5), adversarial examples or model evasion",
            "inputs designed to cause the model to make a mistake",
            ("attacks", "certified", "ratio", "doubts"),
            "Attacks and sizes other than those named were not tried.",
        ),
        Clause(
            "Article 15(5), data poisoning and model poisoning",
            "attacks on the training data or on pre-trained components",
            (),
            "The model was measured as it was given.",
        ),
        Clause(
            "Article 15(5), confidentiality attacks and model flaws",
            "attacks on what the model reveals, and flaws of the model",
            (),
            "No such attack was made.",
        ),
        Clause(
            "Annex IV, point 2(g)",
            "validation and testing procedures, data, metrics and potentially "
            "discriminatory impacts; test reports dated and signed",
            (RECORD, "clean", "conditions", "attacks", "groups"),
            "Signatures are left blank.",
        ),
        Clause(
            "Annex IV, point 3",
            "capabilities and limitations in performance, with degrees of accuracy "
            "for specific persons or groups and the overall level",
            ("clean", "worst", "groups"),
            "Whom the system is intended for was not examined.",
        ),
        Clause(
            "Annex IV, point 4",
            "appropriateness of the performance metrics",
            (),
            "It is for the provider to describe.",
        ),
    ),
)

_NIST = Framework(
    "NIST AI Risk Management Framework (AI RMF 1.0)",
    "Subcategories of NIST AI 100-1, January 2023, Table 3; a voluntary framework.",
    (
        Clause(
            "MEASURE 1.1",
            "metrics; risks that will not or cannot be measured are documented",
            (RECORD,),
            "What was not measured is listed; risks were not examined.",
        ),
        Clause(
            "MEASURE 2.1",
            "test sets, metrics and details about the tools",
            (RECORD,),
        ),
        Clause("MEASURE 2.2", "evaluations involving human subjects"),
        Clause(
            "MEASURE 2.3",
            "performance or assurance criteria, for conditions similar to deployment",
            ("clean", "metrics", "conditions", "needs"),
            "Whether rows and conditions are similar to those of deployment was not "
            "examined.",
        ),
        Clause("MEASURE 2.4", "monitoring in production"),
        Clause(
            "MEASURE 2.5",
            "validity and reliability, with limitations of generalizability",
            ("clean", *_ROBUST, "weakness"),
            "Conditions other than those tested were not measured.",
        ),
        Clause(
            "MEASURE 2.6",
            "safety: metrics of reliability and robustness",
            ("worst", "conditions", "attacks", "certified"),
            "Tolerances of risk, failing safely, monitoring and response times were "
            "not examined.",
        ),
        Clause(
            "MEASURE 2.7",
            "security and resilience",
            ("attacks", "certified", "ratio", "doubts"),
            "Attacks changed the input of the model only, not training data, "
            "confidentiality or the system around the model.",
        ),
        Clause("MEASURE 2.8", "transparency and accountability"),
        Clause(
            "MEASURE 2.9",
            "the model is explained and validated",
            ("weakness",),
            "Under the worst condition only; single predictions were not explained.",
        ),
        Clause("MEASURE 2.10", "privacy risk"),
        Clause(
            "MEASURE 2.11",
            "fairness and bias",
            ("groups",),
            "The scores of the groups that were given were compared, nothing else.",
        ),
        Clause("MEASURE 2.12", "environmental impact and sustainability"),
        Clause(
            "MEASURE 2.13",
            "effectiveness of the metrics and processes of testing",
            ("doubts",),
            "Attacks were checked, other metrics were not.",
        ),
        Clause(
            "MEASURE 3 and 4",
            "risks tracked over time, and feedback about the measurement",
            ("periods",),
            "Periods of the rows given were compared, nothing else.",
        ),
        Clause("GOVERN, MAP and MANAGE", "processes of an organisation"),
    ),
)

_ISO = Framework(
    "Vocabulary of ISO/IEC 24029-2:2023 and ISO/IEC TR 24029-1:2021",
    "Assessment of the robustness of neural networks. Titles of clauses from the "
    "published tables of contents; the text of the clauses was not consulted. The "
    "words are used for models of any kind.",
    (
        Clause(
            "ISO/IEC 24029-2, 5.2 Notion of domain",
            "the set of inputs that a property is stated for",
            (RECORD,),
            "The ball of size eps around each row scored; see the settings.",
        ),
        Clause(
            "ISO/IEC 24029-2, 5.3 Stability",
            "labels that stay the same in the domain: proven, and searched for "
            "counterexamples",
            ("certified", "attacks"),
        ),
        Clause(
            "ISO/IEC 24029-2, 5.4 Sensitivity",
            "size of the change of the output in the domain",
            ("ratio",),
            "It was measured by attacks; nothing was proven.",
        ),
        Clause(
            "ISO/IEC 24029-2, 5.5 Relevance",
            "inputs that the output rests on",
            ("weakness",),
            "It was measured under the worst condition; nothing was proven.",
        ),
        Clause("ISO/IEC 24029-2, 5.6 Reachability", "states that can be reached"),
        Clause(
            "ISO/IEC TR 24029-1, statistical methods",
            "scores on rows under conditions, with intervals",
            ("clean", "metrics", *_ROBUST, "groups", "periods"),
        ),
        Clause(
            "ISO/IEC TR 24029-1, formal methods",
            "proofs",
            ("certified",),
        ),
        Clause(
            "ISO/IEC TR 24029-1, empirical methods",
            "experiment and observation in use",
            (),
            "No observation in operation is part of the report.",
        ),
    ),
)

FRAMEWORKS = {"eu-ai-act": _EU, "nist-ai-rmf": _NIST, "iso-24029-2": _ISO}
