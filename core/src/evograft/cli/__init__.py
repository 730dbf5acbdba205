"""The command line. Commands are imported when they are called, so that `evo --help` imports nothing heavy."""

from __future__ import annotations

import errno
import io
import os
import sys
from importlib.metadata import EntryPoint
from typing import NoReturn

import click

from evograft.cli_kit.lazy_group import LazyGroup

COMMANDS = {
    "run": ("evograft.cli.run:run", "Start a run of a pipeline."),
    "resume": ("evograft.cli.run:resume", "Resume a run that was stopped or killed."),
    "status": ("evograft.cli.status:status", "Show the state of a run: progress, best score, trials in flight, cost."),
    "stop": ("evograft.cli.control:stop", "Stop a running run; it can be resumed."),
    "tell": ("evograft.cli.control:tell", "Give a run an instruction for its next trials."),
    "answer": ("evograft.cli.answer:answer", "Answer prompts that wait for a person."),
    "show": ("evograft.cli.show:show", "Print the resolved settings of a run, or one of its trials."),
    "export": ("evograft.cli.export:export", "Write a run's trials as JSONL, CSV or Parquet."),
    "copy": ("evograft.cli.copy:copy", "Copy a run to another folder, or to or from a shared database."),
    "plugins": ("evograft.cli.plugins:plugins", "List the plugins that are installed."),
    "config": ("evograft.cli.config:config", "Show or set your settings."),
}


UNWRITABLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
"""What the system says of a disk that takes no more: no bug of ours, whichever write comes upon it."""
BARRED = frozenset({errno.EACCES, errno.EPERM})
"""What it says of a file that the user has no right to; likewise."""


class WithPlugins(LazyGroup):
    """Our commands, and those that plugins bring."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *sorted(_plugin_commands())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or _plugin_command(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        from evograft.plugin.toolkits import COMMANDS as OF_TOOLKITS

        brought = _plugin_commands()
        toolkits = {name: OF_TOOLKITS[name].summary for name in OF_TOOLKITS if name in brought}
        with formatter.section("Commands"):
            formatter.write_dl([*((name, summary) for name, (_, summary) in self.table.items()), *toolkits.items()])
        if others := sorted(brought.keys() - toolkits.keys()):
            from evograft.plugin.entry_points import origin_of

            with formatter.section("Commands of plugins"):
                formatter.write_dl([(name, f"of {origin_of(brought[name][0])}") for name in others])


def _plugin_commands() -> dict[str, list[EntryPoint]]:
    from evograft.plugin.entry_points import COMMANDS as GROUP
    from evograft.plugin.entry_points import installed

    return {name: entries for name, entries in installed(GROUP).items() if name not in COMMANDS}


def _plugin_command(name: str) -> click.Command | None:
    entries = _plugin_commands().get(name)
    if entries is None:
        return None
    from evograft.errors import PluginError
    from evograft.plugin.entry_points import origin_of

    entry, *others = entries
    if others:
        raise PluginError(f"{' and '.join(map(origin_of, entries))} both bring the command {name!r}: uninstall one")
    try:
        command: click.Command = entry.load()
    except Exception as err:  # foreign code runs at import
        raise PluginError(
            f"command {name!r} of {origin_of(entry)} cannot be imported: {type(err).__name__}: {err}"
        ) from err
    return command


@click.group(cls=WithPlugins, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="evograft", prog_name="evo")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def cli(*, debug: bool) -> None:
    """Evolve programs: a minimal kernel, and plugins that know the problems."""
    if debug:
        os.environ["EVO_DEBUG"] = "1"


def main() -> NoReturn:
    """Run `evo`; an error is one line on stderr, and its exit code says whose it is."""
    _require_unix()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A name or a program may hold what the terminal cannot show.
            stream.reconfigure(errors="backslashreplace")
    code = _run()
    try:
        sys.stdout.flush()
    except OSError as err:
        # Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # A reader of our output that has gone wanted no more of it.
        code = code if code or isinstance(err, BrokenPipeError) else _failed(_blamed(err))
    sys.exit(code)


def _require_unix() -> None:
    """Say where evograft runs, instead of failing at its first lock of a file."""
    try:
        import fcntl  # noqa: F401 - Windows has none
    except ImportError:
        click.echo(f"Error: evograft does not run on {sys.platform}: use Linux, or WSL on Windows", err=True)
        sys.exit(2)


def _run() -> int:
    try:
        code = cli.main(prog_name="evo", standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)  # behind the line that click ends, where a terminal has shown ^C
        return 130
    except SystemExit:
        return 0  # click's answer to a reader of our output that went away, and to nothing else
    except Exception as err:  # noqa: BLE001 - the outermost place: every error becomes one line and an exit code
        return _failed(_blamed(err))
    return code if isinstance(code, int) else 0


def _blamed(err: Exception) -> Exception:
    """Return a full disk, a missing right or a missing sandbox as an error for the user; anything else as it is."""
    from evograft.errors import EvograftError, ServiceError, UserError
    from evograft_hookspecs import SandboxUnavailable

    blamed: EvograftError
    if isinstance(err, SandboxUnavailable):
        blamed = ServiceError(f"no sandbox for commands: {err}")
    elif not isinstance(err, OSError):
        return err
    elif err.errno in UNWRITABLE:
        blamed = ServiceError(f"cannot write {repr(err.filename) if err.filename else 'the output'}: {err.strerror}")
    elif err.errno in BARRED and err.filename:
        blamed = UserError(f"cannot read or write {err.filename!r}: {err.strerror}")
    else:
        return err
    blamed.__cause__ = err
    return blamed


def _failed(err: Exception) -> int:
    from evograft.errors import EvograftError
    from evograft.text.escapes import escape_controls
    from evograft.text.masking import mask

    if isinstance(err, click.exceptions.Exit):
        return err.exit_code
    if isinstance(err, click.ClickException):
        click.echo(escape_controls(mask(_explained(err))), err=True)
        return 2
    if os.environ.get("EVO_DEBUG"):
        import traceback

        click.echo(escape_controls(mask("".join(traceback.format_exception(err)))), err=True, nl=False)
    elif isinstance(err, EvograftError):
        click.echo(escape_controls(mask(f"Error: {err}")), err=True)
    else:
        bug = f"Bug in evograft: {type(err).__name__}: {err}; see it whole with: evo --debug …"
        click.echo(escape_controls(mask(bug)), err=True)
    return err.exit_code if isinstance(err, EvograftError) else 1


def _explained(err: click.ClickException) -> str:
    if isinstance(err, click.exceptions.NoArgsIsHelpError):
        return err.format_message()
    if isinstance(err, click.exceptions.NoSuchCommand) and err.ctx and isinstance(err.ctx.command, click.Group):
        from evograft.errors import did_you_mean
        from evograft.plugin.toolkits import COMMANDS as OF_TOOLKITS

        if err.ctx.parent is None and (missing := OF_TOOLKITS.get(err.command_name)):
            return f"Error: `evo {err.command_name}` is not installed: pip install {missing.requirement}"
        # Click itself does not ask a group whose commands are loaded lazily.
        known = err.ctx.command.list_commands(err.ctx)
        return f"Error: no command {err.command_name!r}; {did_you_mean(err.command_name, known)}"
    return f"Error: {' '.join(err.format_message().split())}"
