"""Outputs of skorch nets as logits.

What they mean depends on the criterion, as in skorch: logits for CrossEntropyLoss and
BCEWithLogitsLoss, probabilities for NLLLoss (skorch takes the logarithm itself) and
BCELoss.
"""

import sys

from sklearn.base import is_classifier

from skrobust._responses import several_answers
from skrobust._validation import invalid
from skrobust.base.label_codes import digits
from skrobust.base.one_label import ANY

KINDS = {
    "CrossEntropyLoss": "logits",
    "NLLLoss": "probabilities",
    "BCEWithLogitsLoss": "binary logits",
    "BCELoss": "binary probabilities",
}
NUMBERS = "numbers"  # of a regressor


def is_binary_net(net):
    """Say whether a net has one output for two classes."""
    return any(c.__name__ == "NeuralNetBinaryClassifier" for c in type(net).__mro__)


def one_label(output, label, kind):
    """Return the logits of one label of a net, or of the combinations of all.

    Parameters
    ----------
    output : tensor of shape (n, n_labels)
        What the module returns.
    label : int or "any"
        Place of the label.
    kind : str
        A value of ``KINDS``.
    """
    k = output.shape[1] if output.ndim == 2 else 0
    is_any = label == ANY
    if not kind.startswith("binary") or not (is_any or 0 <= label < k):
        rule = "the place of an output of a net with BCEWithLogitsLoss or BCELoss"
        raise invalid("label", "OneLabel", rule, label)
    z = output if is_any else output[:, [label]]
    if kind == "binary probabilities":
        torch = sys.modules["torch"]
        z = torch.logit(z, eps=torch.finfo(z.dtype).tiny)
    # The score of a combination is the sum of those of the labels that are 1.
    bits = z.new_tensor(digits(z.shape[1] * [2]))
    return (z[:, None] * bits).sum(dim=2)


def as_logits(output, net, kind, caller):
    """Return logits of shape (n, n_classes), or predictions of shape (n, 1).

    Parameters
    ----------
    output : tensor
        What the module returns.
    net : skorch net
        Of the module.
    kind : str
        A value of ``KINDS``, or ``NUMBERS``.
    caller : str
        Name of the public function or class, for error messages.
    """
    torch = sys.modules["torch"]
    tiny = torch.finfo(output.dtype).tiny
    most = 1 - torch.finfo(output.dtype).eps / 2  # the largest number below 1
    if kind == NUMBERS:
        if output.numel() != len(output):
            label = f"{caller} needs one number"
            raise ValueError(several_answers(net, label, output.shape))
        return output.reshape(len(output), 1)
    is_binary = kind.startswith("binary")
    is_labels = is_binary and output.ndim == 2 and output.shape[1] > 2
    # One loss a column: labels that hold together, not classes of one label.
    if output.ndim > 2 or (is_labels and not is_classifier(net)):
        label = f"{caller} needs one label"
        raise ValueError(several_answers(net, label, output.shape))
    if is_binary and is_binary_net(net):
        z = output.reshape(len(output))
        if kind == "binary probabilities":
            z = torch.log(z.clamp_min(tiny)) - torch.log1p(-z.clamp_max(most))
        return torch.stack([torch.zeros_like(z), z], dim=1)
    if output.ndim != 2 or output.shape[1] < 2:
        raise ValueError(
            f"{caller} got outputs of shape {tuple(output.shape)} from "
            f"{type(net).__name__}, which needs (n, n_classes) with at least "
            "2 classes. For one output unit use NeuralNetBinaryClassifier with "
            "BCEWithLogitsLoss."
        )
    if kind == "probabilities":
        values = output.detach()
        if values.min() < 0 or (values.sum(dim=1) - 1).abs().max() > 1e-3:
            raise ValueError(
                f"{caller} found that the module does not return "
                "probabilities, which skorch expects with NLLLoss (it takes the "
                "logarithm itself). End it in softmax, or use logits with "
                "CrossEntropyLoss."
            )
        return torch.log(output.clamp_min(tiny))
    if kind == "binary probabilities":
        p = output.clamp(tiny, most)
        return torch.log(p) - torch.log1p(-p)
    return output
