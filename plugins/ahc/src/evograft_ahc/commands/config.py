"""`evo ahc config`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from evograft_ahc.commands.bilingual import AS_JSON, command, option

if TYPE_CHECKING:
    from evograft_ahc.settings.model import LoadedSettings, Setting
    from evograft_ahc.text.messages import Language


@command(
    ja="すべての設定とその出どころを表示します。KEY だけならその値を表示し、VALUE があれば設定します。\n\n"
    "KEY は llm.model のように点でつなぎ、VALUE は YAML で書きます。作業フォルダーの中では、"
    "そのファイルに書き込みます。"
)
@click.argument("key", required=False)
@click.argument("value", required=False)
@option(
    "--user",
    is_flag=True,
    en="Set it in ~/.ahc_agent/config.yaml, also from inside a workspace.",
    ja="作業フォルダーの中でも ~/.ahc_agent/config.yaml に設定します。",
)
@AS_JSON
def config(key: str | None, value: str | None, *, user: bool, as_json: bool) -> None:
    """Show all settings and where each is from, show one KEY, or set it to VALUE.

    A KEY is dotted, such as llm.model; a VALUE is YAML. Inside a workspace it goes into the workspace's file.
    """
    from evograft_ahc.commands.location import find_current_workspace
    from evograft_ahc.settings.model import get_user_config, load_settings

    workspace = find_current_workspace()
    if key is not None and value is not None:
        from evograft_ahc.settings.file import save_setting

        save_setting(get_user_config() if user or workspace is None else workspace.config, key, value)
    loaded = load_settings(workspace)
    if user and value is not None and key is not None and loaded.sources.get(key) != str(get_user_config()):
        _tell_covered(loaded, key)
    shown = loaded.all() if key is None else (loaded.get(key),)
    _show(shown, loaded.values.language, as_json=as_json)


def _tell_covered(loaded: LoadedSettings, key: str) -> None:
    """Say that another source goes before what was just set for the user."""
    from evograft_ahc.commands.language import make_printer
    from evograft_ahc.settings.model import get_user_config

    file, source = get_user_config(), loaded.sources.get(key)
    make_printer(loaded.values.language, err=True)(
        f"{key} is set in {file}; here {source} goes before it",
        ja=f"{key} を {file} に設定しました。ここでは {source} の値が優先されます",
    )


def _show(settings: tuple[Setting, ...], language: Language, *, as_json: bool) -> None:
    from evograft_ahc.settings.model import DEFAULT

    if as_json:
        click.echo(json.dumps({each.key: {"value": each.value, "source": each.source} for each in settings}))
        return
    for each in settings:
        source = "既定値" if language == "ja" and each.source == DEFAULT else each.source
        text = each.value if isinstance(each.value, str) else json.dumps(each.value, ensure_ascii=False)
        click.echo(f"{each.key} = {text}  ({source})")
