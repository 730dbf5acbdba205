"""`evo worker`: its options. What does the work is imported when it is called, so that help is quick."""

from __future__ import annotations

import click


@click.command()
@click.argument("run", required=False, metavar="[RUN|PIPELINE]")
@click.option("--check", "wanted", is_flag=True, help="Say what this machine lacks to evaluate for RUN or PIPELINE.")
@click.option("--resources", is_flag=True, help="Print what this machine has, as `dask worker --resources` takes it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def worker(run: str | None, *, wanted: bool, resources: bool, as_json: bool) -> int:
    """Look at this machine as a worker of a cluster.

    With --check, the exit code is 0 if the machine can evaluate for RUN (a name, id, path or `latest`) or for the
    pipeline in the file PIPELINE, and 4 if it lacks something. Workers themselves are started by the cluster's own
    commands, such as `dask worker`.
    """
    from evograft.cli_kit.printing import print_json
    from evograft.errors import UserError
    from evograft_cluster.worker.machine import check_machine, find_resources

    if wanted == resources:
        raise UserError("say what to look at: --check RUN, or --resources")
    if resources:
        found = find_resources()
        print_json(found) if as_json else click.echo(" ".join(f"{name}={value:g}" for name, value in found.items()))
        return 0
    if run is None:
        raise UserError("--check needs a run or a pipeline file: evo worker --check RUN")
    lacking = check_machine(run)
    if as_json:
        print_json({"lacking": list(lacking)})
    else:
        click.echo("\n".join(f"lacks: {each}" for each in lacking) or "this machine can evaluate for it")
    return 4 if lacking else 0
