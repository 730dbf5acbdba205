"""Prints docs/hooks.md from the sources of evograft_hookspecs: `python docs/generate_hooks.py > docs/hooks.md`."""  # noqa: INP001

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from types import ModuleType

from evograft_hookspecs import contexts, drivers, errors, events, hooks, plugin, services, types, values

LABELS = ("Called", "Returns", "None", "Who else answers", "Units and shapes")
SECTIONS = (
    ("Values", (types,), "What hooks are given and what they answer. All are frozen, closed, and survive JSON."),
    ("Contexts", (contexts,), "What a hook is told about where it runs."),
    ("Events", (events,), "What `observe` is told."),
    ("The plugin class", (plugin,), "What an entry point of the group `evograft.plugins` names."),
    ("Exceptions", (errors,), "What a plugin raises on purpose."),
    ("Ground types", (values,), "What the fields are made of."),
    ("Services", services.MODULES, "What hooks find in their contexts."),
    ("Drivers", drivers.MODULES, "The protocols that drivers implement."),
)


def page() -> str:
    """Return the whole page."""
    parts = [
        "# Hooks and values",
        "<!-- fmt: off -->",
        "Generated from the sources by `docs/generate_hooks.py`: do not edit.",
        "## Hooks",
        _prose(inspect.getdoc(hooks)),
        *(_hook(node) for node in _tree(hooks).body if isinstance(node, ast.FunctionDef)),
    ]
    for title, modules, summary in SECTIONS:
        parts += [f"## {title}", summary, *(part for module in modules for part in _module(module))]
    return "\n\n".join(part for part in parts if part) + "\n"


def _hook(node: ast.FunctionDef) -> str:
    text, _, example = (ast.get_docstring(node) or "").partition("\nExample:\n")
    summary, _, labelled = text.partition("\n\n")
    # A label starts an item, and the lines below it belong to the item.
    items = re.sub(r"^", "  ", labelled.strip(), flags=re.MULTILINE)
    items = re.sub(rf"^  ({'|'.join(LABELS)}): ", r"- **\1:** ", items, flags=re.MULTILINE)
    return "\n\n".join((f"### {node.name}", _code(_signature(node)), summary, items, _code(example)))


def _module(module: ModuleType) -> Iterator[str]:
    body = _tree(module).body
    for node, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef):
            yield _class(node)
        elif isinstance(node, ast.Assign) and (doc := _doc(following)):
            yield f"`{ast.unparse(node)}`: {doc}"


def _class(node: ast.ClassDef) -> str:
    bases = [ast.unparse(base) for base in node.bases if ast.unparse(base) not in ("Value", "BaseModel")]
    parts = [f"### {node.name}"]
    if bases:
        parts.append(f"*A kind of {', '.join(f'`{base}`' for base in bases)}.*")
    parts.append(_prose(ast.get_docstring(node)))
    parts.append(_fields(node))
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef) and _is_public(each)]
    parts += [f"{_code(_signature(each))}\n\n{_prose(ast.get_docstring(each))}".strip() for each in methods]
    return "\n\n".join(part for part in parts if part)


def _fields(node: ast.ClassDef) -> str:
    rows = []
    for each, following in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(each, ast.AnnAssign):
            rows.append([f"`{ast.unparse(each.target)}`", f"`{ast.unparse(each.annotation)}`", _default(each)])
            rows[-1].append(_doc(following))
    if not rows:
        return ""
    lines = [" | ".join(cell.replace("|", r"\|") for cell in row) for row in rows]
    return "\n".join(f"| {line} |" for line in ("field | type | default | meaning", "--- | --- | --- | ---", *lines))


def _default(node: ast.AnnAssign) -> str:
    text = ast.unparse(node.value) if node.value else ""
    return f"`{text}`" if text and not text.lower().startswith("field(") else "required"


def _signature(node: ast.FunctionDef) -> str:
    if any(ast.unparse(each) in ("property", "cached_property") for each in node.decorator_list):
        return f"{node.name}: {ast.unparse(node.returns) if node.returns else ''}"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"def {node.name}({ast.unparse(node.args)}){returns}"


def _is_public(node: ast.FunctionDef) -> bool:
    return not node.name.startswith("_") or (node.name == "__init__" and bool(ast.get_docstring(node)))


def _doc(node: ast.stmt | None) -> str:
    """Return the string under a field, as one line."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return " ".join(node.value.value.split())
    return ""


def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def _prose(doc: str | None) -> str:
    """Return a docstring as Markdown: indented code becomes a block, a section such as `Args:` a list."""
    text = re.sub(
        r"^(?: {4}.*\n|\n(?= {4}))+", lambda found: f"\n{_code(found[0])}\n", f"{doc or ''}\n", flags=re.MULTILINE
    )
    return re.sub(r"^(Args|Raises):\n+```python\n(.*?)\n```", _list, text, flags=re.MULTILINE | re.DOTALL).strip()


def _list(section: re.Match[str]) -> str:
    entries = re.sub(r"\n {4}", " ", section[2])
    return f"{section[1]}:\n\n" + re.sub(r"^(.*?): ", r"- `\1`: ", entries, flags=re.MULTILINE)


def _code(text: str) -> str:
    return f"```python\n{textwrap.dedent(text).strip()}\n```"


if __name__ == "__main__":
    sys.stdout.write(page())
