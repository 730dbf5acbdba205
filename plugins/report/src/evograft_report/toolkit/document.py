"""The document around a page: one file that needs no network and runs no script, whatever its texts hold."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING

from evograft.text.i18n import Catalog
from evograft_report.toolkit.palette import variables

if TYPE_CHECKING:
    from jinja2 import Environment

OWN = "evograft_report.toolkit"
SHARED = ("charts.css", "page.css")


def render(package: str, template: str, t: Catalog, *, css: tuple[str, ...] = (), **values: object) -> str:
    """Return a page as HTML.

    Args:
        package: has the folder `templates`; its templates extend `document.html` and may import `drawing.html`.
        template: the page's.
        t: what the template's texts are written with.
        css: style sheets of the package, after those of all pages.
        values: what else the template names.
    """
    from markupsafe import Markup

    style = variables() + "".join(load_css(name) for name in SHARED) + "".join(load_css(name, package) for name in css)
    return (
        _templates(package)
        .get_template(template)
        .render(
            t=t,
            style=Markup(style),  # noqa: S704 - our own files
            style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
            version=version("evograft"),
            **values,
        )
    )


@cache
def load_css(name: str, package: str = OWN) -> str:
    return files(package).joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _templates(package: str) -> Environment:
    # It takes a tenth of a second, and every run imports this package to write a file.
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(OWN)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
