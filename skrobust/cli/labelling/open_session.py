"""Beginning and continuation of a labelling session."""

from pathlib import Path

import click

from skrobust._sealed import file_digest
from skrobust.cli.exit_codes import UserError
from skrobust.cli.labelling import pool_facts, pool_source
from skrobust.cli.labelling.answer_reader import AnswerReader
from skrobust.cli.labelling.grade_reader import GradeReader
from skrobust.cli.labelling.grading import grading_from
from skrobust.cli.labelling.sampler_choice import choose_sampler
from skrobust.cli.labelling.sampler_names import get_sampler_names
from skrobust.cli.model_file import load_model
from skrobust.cli.option_types import check_settings
from skrobust.cli.rows_file import column_of
from skrobust.report.measured.data_facts import kind_of

# Options that decide draws and answers, and so are fixed at the beginning.
KEPT = ("sampler", "set", "seed", "scores", "as_confidence", "predicted", "item")
KEPT += ("drop", "grey", "data_range", "layout", "model", "goal")
KEPT += ("loss_range", "grades", "higher_is_better", "feature", "cost")
N_SHOWN = 12


def open_session(session, source, options, say):
    """Go on with a session, or begin one.

    Parameters
    ----------
    session : Session
        Locked.
    source : str
        The pool.
    options : dict
        Options of the command.
    say : callable
        Called with a line before each step.

    Returns
    -------
    pool : Pool
    reader : AnswerReader
    """
    given = _given(options)
    if session.exists:
        pool = _resume(session, source, given, say)
    else:
        pool = _start(session, source, given, options, say)
    grading = grading_from(session.facts["settings"])
    _check_widths(grading, options)
    if options["budget"] is not None and session.sampler.costs_ is None:
        raise UserError(
            "--budget needs what each label costs: give the column as --cost when the "
            "session begins."
        )
    if grading is not None:
        return pool, GradeReader(session.sampler, grading)
    return pool, AnswerReader(session.sampler, session.facts["classes"])


def _check_widths(grading, options):
    """Raise where a half-width is wider than all that is possible."""
    span = 1 if grading is None else grading.high - grading.low
    what = "accuracy" if grading is None else grading.measure
    for name in ("until", "half_width"):
        width = options.get(name)
        if width is not None and not width < span:
            raise UserError(
                f"--{name.replace('_', '-')} is {width:g}, and the {what} cannot vary "
                f"by more than {span:g}; give a half-width below it."
            )


def advise(source, options, say):
    """Return the ``SamplerChoice`` for a pool, without a session."""
    pool, facts = _read_pool(source, _given(options), options, say)
    return _choice(pool, facts, options)


def _given(options):
    given = {name: options[name] for name in KEPT}
    given["set"] = dict(given["set"])
    given["drop"], given["feature"] = list(given["drop"]), list(given["feature"])
    for name in ("data_range", "loss_range", "grades"):
        given[name] = list(given[name] or ()) or None
    if options["model"] is not None:
        if options["scores"] or options["predicted"]:
            raise UserError(
                "Give --model, or --scores and --predicted; the model makes both."
            )
        if not Path(options["model"]).is_file():
            raise UserError(f"There is no model file {options['model']!r}.")
        given["model"] = file_digest(options["model"])
    if options["as_confidence"] and not options["scores"]:
        raise UserError("--as-confidence says what --scores are; give --scores, too.")
    if options["goal"] and options["sampler"]:
        raise UserError("--goal chooses the sampler, so leave --sampler out.")
    return given


def _resume(session, source, given, say):
    session.resume()
    kept, name = session.facts["settings"], session.path.name
    for option, value in given.items():
        was = kept.get(option)  # states of earlier versions had fewer options
        if not _left_out(value) and value != was:
            raise UserError(_changed(name, option, was, value))
    then = session.facts["pool"]
    path = Path(source)
    is_images = path.is_dir() and not pool_source.pieces_of(path)
    if kept["item"] is not None and is_images:  # nobody gave --item now
        raise UserError(
            f"{name!r} belongs to the table {then['source']!r}, and {source!r} is a "
            "folder."
        )
    pool = pool_source.open_pool(source, item=kept["item"])
    if pool.fingerprint != then["fingerprint"]:
        raise UserError(
            f"{name!r} belongs to another pool: {then['source']!r} of {then['n']} "
            f"inputs as it was then; {source!r} has {len(pool)}, or has changed."
        )
    say(f"going on with {session.path.name}")
    if session.note:
        click.echo(f"skrobust: warning: {session.note}.", err=True)
    if session.frozen:
        say("its draws cannot be made again here: it takes answers and cannot draw")
    return pool


def _left_out(value):
    return value is None or value is False or value in ([], {})  # 0 is a seed


def _changed(name, option, was, now):
    option = f"--{option.replace('_', '-')}"
    cure = "leave the option out, or name another --state"
    if option == "--model":  # known by its digest alone
        return f"{name!r} was begun with another model, or with none; {cure}."
    was = "without it" if _left_out(was) else f"with {was!r}"
    return f"{name!r} was begun {was} ({option} is {now!r} now); {cure}."


def _start(session, source, given, options, say):
    given["seed"] = 0 if given["seed"] is None else given["seed"]
    grading = grading_from(given)
    pool, facts = _read_pool(source, given, options, say)
    if given["sampler"] is None:
        choice = _choice(pool, facts, options)
        given["sampler"], given["set"] = choice.name, choice.settings | given["set"]
        say(f"chosen: {choice.text}")
    kind = get_sampler_names()[given["sampler"]]
    taken = ("estimator", "random_state", "loss", "loss_range")
    known = [name for name in kind().get_params(deep=False) if name not in taken]
    check_settings(f"{kind.__name__} has", given["set"], known)
    of_losses = {} if grading is None else {"loss_range": grading.loss_range}
    sampler = kind(**given["set"], **of_losses, random_state=given["seed"])
    sampler = facts.fit(sampler)
    mark = {"source": source, "n": len(pool), "fingerprint": pool.fingerprint}
    facts = {"pool": mark, "settings": given, "classes": facts.classes}
    session.begin(sampler, facts)
    return pool


def _choice(pool, facts, options):
    grading, until = grading_from(options), options.get("until")
    if None not in (grading, until):
        until /= grading.high - grading.low
    return choose_sampler(
        facts.scores,
        n_pool=len(pool),
        n=options["n"],
        until=until,
        goal=options["goal"] or "accuracy",
        has_features=facts.features is not None,
        has_costs=facts.costs is not None,
    )


def _read_pool(source, given, options, say):
    """Return the pool, and what a model and columns say about it."""
    pool, facts = _read_facts(source, given, options, say)
    facts.features = pool_facts.features_from(pool, given["feature"])
    facts.costs = pool_facts.costs_from(pool, given["cost"])
    return pool, facts


def _read_facts(source, given, options, say):
    pool = pool_source.open_pool(
        source, item=given["item"], predicted=given["predicted"]
    )
    if options["model"] is None:
        columns = (given[name] for name in ("scores", "as_confidence", "predicted"))
        return pool, pool_facts.facts_from_columns(pool, *columns)
    model = load_model(options["model"], options, say)
    kind_of(Path(options["model"]).stem, model)
    say(f"predicting {len(pool)} inputs")
    images = {name: given[name] for name in ("grey", "data_range", "layout")}
    return pool, pool_facts.facts_from_model(pool, model, given["drop"], **images)


def columns_to_show(session, pool, show):
    """Return the columns of a table to show beside each input.

    Parameters
    ----------
    session : Session
        Its scores and predictions are left out where nothing is chosen.
    pool : Pool
        A table or a folder.
    show : str or None
        Names with commas between.

    Returns
    -------
    list of str
        The first twelve where nothing is chosen.
    """
    if pool.frame is None:
        if show:
            raise UserError("--show names columns of a table, and this is a folder.")
        return []
    if show is None:
        kept = session.facts["settings"]
        used = (kept["scores"], kept["predicted"])
        return [name for name in pool.columns if name not in used][:N_SHOWN]
    names = [name.strip() for name in show.split(",") if name.strip()]
    for name in names:
        column_of(pool.frame, name, pool.source, "--show")
    return names
