"""The deepfake study: robust accuracy against robust ratio, on videos of your own."""

import json
import warnings
from pathlib import Path

import numpy as np

from skrobust._keyed_noise.generator import seed_number
from skrobust._optional import require
from skrobust._validation import check_choice, check_flag, invalid
from skrobust._whole_file import write_text_whole
from skrobust.report.core.strict_json import strict_json
from skrobust.studies.group_columns import group_of_faces, group_table
from skrobust.studies.kept_parts import KeptParts
from skrobust.studies.study_attacks import Detector
from skrobust.studies.study_detectors import make_detectors, needs_training
from skrobust.studies.study_faces import (
    SIDE,
    load_faces,
    load_group_faces,
    some_frames,
    split_videos,
)
from skrobust.studies.study_inputs import (
    CALLER,
    check_detectors,
    check_labels,
    data_counts,
    face_crop,
)
from skrobust.studies.study_page import study_page
from skrobust.studies.study_results import study_results
from skrobust.studies.study_sizes import study_size


def deepfake_study(
    out,
    *,
    ffpp=None,
    celeb_df=None,
    uadfv=None,
    folder=None,
    metadata=None,
    source="videos",
    compression="c23",
    split=None,
    cropped=False,
    face_model=None,
    groups=None,
    group_faces=None,
    detectors=("Meso4", "MesoInception4", "ResNet34"),
    weights=None,
    orders=None,
    size="default",
    n_clips=None,
    n_frames=None,
    n_test_frames=None,
    n_steps=None,
    n_epochs=None,
    clips=True,
    chains=True,
    device="auto",
    random_state=0,
    progress=None,
    verbose=0,
):
    """Compare deepfake detectors by robust accuracy and robust ratio.

    The study of Lyu, Jin and Das, on one or several of their data sets or a folder of
    your own: faces are cut from frames, detectors are loaded or trained, attacked, and
    compared over tolerances from 0 to 0.2, on images, on clips and by group, with
    intervals over videos. Everything that takes long is kept in ``out``: a study that
    was stopped goes on when it is called again.

    Parameters
    ----------
    out : str or path
        Folder of the results: ``report.html``, ``results.json``, and what a repeated
        call reuses (``frames``, ``weights``, ``parts``).
    ffpp, celeb_df, uadfv : str or path, default=None
        Folders of FaceForensics++, Celeb-DF v2 and UADFV, in the layouts of
        :func:`load_faceforensics` (with its default methods), :func:`load_celeb_df` and
        :func:`load_uadfv`.
    folder : str or path, default=None
        A plain folder, ``<label>/<clip>_<frame>.jpg``, ``<label>/<clip>/<frame>.jpg``
        or ``<label>/<clip>.mp4``; labels that begin with "real", "original" or
        "pristine" are real. At least one of the four is given.
    metadata : str or path, default=None
        Table of the images of ``folder``, as in :func:`load_image_folder`; its column
        ``group`` is used.
    source : {"videos", "images"}, default="videos"
        Whether the three sets are read from videos or from frames that were extracted
        before.
    compression : {"raw", "c0", "c23", "c40"}, default="c23"
        Which videos of FaceForensics++.
    split : {"test"}, default=None
        Only the published test clips of FaceForensics++ and Celeb-DF v2; UADFV has
        none. None takes all.
    cropped : bool, default=False
        Whether the images show faces that are cut out already.
    face_model : str or path, default=None
        File of a YuNet model for :class:`FaceCrop`; None takes the Haar cascade.
    groups : str or path, default=None
        CSV file with the columns ``group`` and ``clip`` or ``origin`` (or both) and, if
        names occur in several sets, ``source`` ("ffpp", ...): the group of a clip, or
        of all clips that show a video. Names are those of ``clip`` and ``origin`` of
        the loaders, such as ``Deepfakes/033_097`` and ``033``.
    group_faces : str or path, default=None
        A folder of real faces, cut out already, ``<group>/<image>``, which are compared
        by group in addition.
    detectors : sequence of str, default=("Meso4", "MesoInception4", "ResNet34")
        Out of these, "ResNet50", "Xception", "EfficientNetB0" and "EfficientNetB4".
    weights : dict of str to path, default=None
        Files of weights by detector: Keras HDF5 for the MesoNets, state dicts of torch
        for all. A file whose last layer has other than 1 or 2 outputs gives the body
        only. Detectors without ready weights are trained on half of the videos, and
        then all are tested on the other half; otherwise all videos are tested.
    orders : dict of str to tuple, default=None
        ``("real", "fake")`` for ready weights whose first output is that of real faces;
        an order for a detector that is trained here is refused.
    size : {"quick", "default", "full"}, default="default"
        Budgets, steps and amounts of data. "quick" takes minutes on two cores.
    n_clips, n_frames, n_test_frames : int, default=None
        Most clips of each label and set, frames read of each clip, and those of them
        that are tested, in place of those of ``size``.
    n_steps, n_epochs : int, default=None
        Steps of PGD and of each direction of the probability shift, and epochs of
        training, in place of those of ``size``.
    clips, chains : bool, default=True
        Whether clips are attacked as a whole, and passed through encodings.
    device : str, default="auto"
        Device of torch.
    random_state : int, default=0
        Seed of the choice of clips, of the halves and of training.
    progress : callable, default=None
        Called with a line on what was done.
    verbose : int, default=0
        From 1 on, a progress bar over the images of each detector and attack, with the
        time left.

    Returns
    -------
    results : dict
        What ``results.json`` holds: ``data``, ``settings``, ``amounts`` (of the size),
        ``tolerances``, ``detectors``, ``cells`` (one for each detector, attack and
        budget), ``comparisons`` (one for each attack and budget), ``clip_attacks``,
        ``chains`` and ``chain_comparisons`` (one for each encoding), ``groups``,
        ``weak_attacks`` (that find less than FGSM, for lack of steps, and are not
        counted in the findings), ``findings`` and ``notes``. Numbers with limits are
        dictionaries of ``value``, ``low`` and ``high``.

    Raises
    ------
    ValueError
        For parameters that are none of these, folders without faces, weights of another
        net, and the order of a detector without ready weights.
    ImportError
        Without torch, skorch, h5py or Pillow (``pip install 'skrobust[deepfake]'``),
        the decoder of videos (``'skrobust[video]'``), the detector of faces
        (``'skrobust[faces]'``) or the page (``'skrobust[report]'``), where they are
        needed.

    Notes
    -----
    The paper names the attacks FGSM, PGD and Carlini-Wagner and no budget. Budgets here
    are of images in [0, 1] of 256 pixels: the informative ones lie far below the usual
    8/255, as MesoNets are lost at 1/255. Images are cut to their middle for nets of
    fewer pixels, and enlarged for those of more.

    The units of all intervals are videos, where a real video and the fakes that show it
    are one (for FaceForensics++ also the videos that lend each other their faces), but
    for R squared of the linearity, whose units are clips. A video that lacks a face in
    some frames is used with the others; which files were left out is in ``notes``.

    References
    ----------
    Z. Lyu, Y. Jin, A. Das, "Is it the model or the metric" (NLDL 2025, arXiv
    2412.09795).

    Examples
    --------
    >>> from skrobust.studies import deepfake_study
    >>> results = deepfake_study(
    ...     "study", uadfv="UADFV", weights={"Meso4": "Meso4_DF.h5"},
    ...     size="quick")  # doctest: +SKIP
    >>> [finding["n_for"] for finding in results["findings"]]  # doctest: +SKIP
    """
    if progress is not None and not callable(progress):
        raise invalid("progress", CALLER, "None or a function of one text", progress)
    say = progress or (lambda line: None)
    sources = {"ffpp": ffpp, "celeb_df": celeb_df, "uadfv": uadfv, "folder": folder}
    sources = {name: path for name, path in sources.items() if path is not None}
    if not sources:
        raise ValueError(
            f"{CALLER} needs at least one of ffpp, celeb_df, uadfv and folder."
        )
    if metadata is not None and folder is None:
        raise ValueError(f"{CALLER} takes metadata together with folder only.")
    for name, choice in (("cropped", cropped), ("clips", clips), ("chains", chains)):
        check_flag(choice, name, CALLER)
    check_choice(source, "source", CALLER, ("videos", "images"))
    check_choice(split, "split", CALLER, (None, "test"))
    names, weights, orders = check_detectors(detectors, weights, orders)
    amounts = study_size(
        size,
        CALLER,
        n_clips=n_clips,
        n_frames=n_frames,
        n_test_frames=n_test_frames,
        n_steps=n_steps,
        n_epochs=n_epochs,
    )
    seed = seed_number(random_state, CALLER)
    crop = None if cropped else face_crop(face_model)
    table = None if groups is None else group_table(groups, CALLER)
    for package in ("torch", "skorch"):
        require(package, CALLER, extra="deepfake")
    require("jinja2", CALLER, extra="report")
    out = Path(out)
    store = KeptParts(out / "parts", CALLER)
    trained = needs_training(names, weights, orders)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        faces = load_faces(
            sources,
            amounts,
            options={"crop": crop, "source": source},
            of_set={"ffpp": {"compression": compression}},
            split=split,
            metadata=metadata,
            side=SIDE,
            keep=out / "frames",
            random_state=random_state,
        )
        if table is not None:
            faces.group = group_of_faces(faces, table, groups, CALLER)
        real = load_group_faces(group_faces, amounts.per_group, SIDE)
    notes = list(dict.fromkeys(str(w.message) for w in caught))
    mask = np.zeros(len(faces), dtype=bool)
    if trained:
        mask = split_videos(faces, random_state)
    train, test = faces.take(mask), faces.take(~mask)
    check_labels(train if trained else None, test)
    test = test.take(some_frames(test, amounts.n_test_frames))
    say(f"{len(train)} images to train on, {len(test)} to test on")
    from skrobust.nets.devices import find_device

    device = find_device(device, CALLER)
    models, origin = make_detectors(
        names, weights, orders, train, amounts,
        device=device, keep=out / "weights", seed=seed % 2**31, say=say,
    )  # fmt: skip
    how = store, verbose
    tested = {n: Detector(n, model, test, *how) for n, model in models.items()}
    on_real = {}
    if real is not None:
        on_real = {n: Detector(n, model, real, *how) for n, model in models.items()}
    results = {
        "data": data_counts(sources, train, test),
        "settings": {
            "size": size, "random_state": random_state, "cropped": cropped,
            "side": SIDE, "source": source, "device": str(device),
            "compression": compression, "split": split,
        },
        "amounts": amounts.to_dict(),
        **study_results(tested, on_real, origin, amounts, clips, chains, store, say),
        "notes": notes,
    }  # fmt: skip
    text = strict_json(results)
    write_text_whole(out / "results.json", text, is_named=False)
    results = json.loads(text)
    write_text_whole(out / "report.html", study_page(results), is_named=False)
    return results
