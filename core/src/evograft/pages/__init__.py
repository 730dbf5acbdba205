"""What pages of reports are made of: charts drawn as SVG, colours, numbers and texts, and a document that runs nothing."""

from evograft.pages.document import render
from evograft.pages.texts import LANGUAGES, Texts, usual_language
from evograft.pages.whole import write_whole

__all__ = ["LANGUAGES", "Texts", "render", "usual_language", "write_whole"]
