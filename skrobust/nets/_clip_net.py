"""Net of whole clips, from a net of frames."""

import math

from torch import nn

from skrobust._validation import invalid


class ClipNet(nn.Module):
    r"""A net of frames as a net of clips: the mean probability of the frames.

    A torch module. Its logits for a clip of T frames are those of the mean of the
    probabilities of the frames,

    .. math:: z_k = \log \frac{1}{T} \sum_{t=1}^{T} P(k \mid x_t),

    and for a net of one logit the log odds of that mean. They are computed without
    rounding, so that gradients do not vanish where single frames are sure. Attacks on
    this net are attacks on the score of the clip.

    Parameters
    ----------
    net : torch.nn.Module
        Takes frames of shape (n, ...) and returns logits of shape (n, n_classes), or
        (n, 1).

    References
    ----------
    Roessler et al. (ICCV 2019) and Li et al. (CVPR 2020) score a video by the mean over
    its frames.

    Examples
    --------
    >>> import torch
    >>> from skrobust.nets import ClipNet, Meso4
    >>> net = ClipNet(Meso4()).eval()
    >>> net(torch.zeros(2, 5, 3, 256, 256)).shape  # 2 clips of 5 frames
    torch.Size([2, 1])
    """

    def __init__(self, net):
        super().__init__()
        if not isinstance(net, nn.Module):
            raise invalid("net", "ClipNet", "a torch module", net)
        self.net = net

    def forward(self, x):
        """Return the logits of clips.

        Parameters
        ----------
        x : tensor of shape (n_clips, n_frames, ...)
            Frames of clips.

        Returns
        -------
        logits : tensor of shape (n_clips, n_classes) or (n_clips, 1)
            As the net gives them for frames.
        """
        n, n_frames = x.shape[:2]
        z = self.net(x.flatten(0, 1)).reshape(n, n_frames, -1)
        if z.shape[2] == 1:
            log = nn.functional.logsigmoid
            return log(z).logsumexp(dim=1) - log(-z).logsumexp(dim=1)
        return z.log_softmax(dim=2).logsumexp(dim=1) - math.log(n_frames)
