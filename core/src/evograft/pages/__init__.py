"""What pages of reports are made of: charts drawn as SVG, colours, numbers and texts, and a document that runs nothing."""

from evograft.files import write_whole
from evograft.pages.document import render
from evograft.text.i18n import LANGUAGES, Texts, usual_language

__all__ = ["LANGUAGES", "Texts", "render", "usual_language", "write_whole"]
