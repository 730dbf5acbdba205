"""Statements that users bring."""

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from evograft_ahc.contests.statement.reader import read_statement
from evograft_ahc.text.messages import ContestUserError

BASE = "https://atcoder.jp/contests/ahc999/tasks"


def pdf(path, text):
    """A page with a line of text in one of the fonts that every reader has."""
    writer = PdfWriter()
    page = writer.add_blank_page(300, 100)
    font = DictionaryObject(
        {
            NameObject(key): NameObject(value)
            for key, value in (("/Type", "/Font"), ("/Subtype", "/Type1"), ("/BaseFont", "/Helvetica"))
        }
    )
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): DictionaryObject({NameObject("/F"): font})})
    content = DecodedStreamObject()
    content.set_data(f"BT /F 12 Tf 10 50 Td ({text}) Tj ET".encode())
    page[NameObject("/Contents")] = writer._add_object(content)
    writer.write(path)
    return path


def test_the_text_of_a_pdf_is_taken(tmp_path):
    (page,) = read_statement(pdf(tmp_path / "a.pdf", "Time Limit: 2 sec. Maximize the score."), BASE)
    assert page.texts == {"en": "Time Limit: 2 sec. Maximize the score."}


def test_markdown_is_taken_as_it_is(tmp_path):
    (tmp_path / "a.md").write_text("# 和\n\nひとつの整数が与えられます。\n")
    (page,) = read_statement(tmp_path / "a.md", BASE)
    assert (page.title, page.texts) == ("和", {"ja": "# 和\n\nひとつの整数が与えられます。\n"})


@pytest.mark.parametrize("encoding", ["utf-8", "shift_jis", "euc_jp"])
def test_a_page_is_read_in_the_encoding_it_names(tmp_path, encoding):
    html = f'<meta charset="{encoding}"><h1>和</h1><p>ひとつの整数が与えられます。</p>'
    (tmp_path / "a.html").write_bytes(html.encode(encoding))
    (page,) = read_statement(tmp_path / "a.html", BASE)
    assert page.texts == {"ja": "# 和\n\nひとつの整数が与えられます。\n"}


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.pdf", b"%PDF-1.7 nonsense", "no PDF that can be read"),
        ("a.md", b" \n", "it holds no text"),
        ("a.html", b"<script>1</script>", "it holds no text"),
        ("none.md", None, "No such file or directory"),
    ],
)
def test_what_cannot_be_read_is_told_with_what_to_bring(tmp_path, name, content, reason):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(
        ContestUserError, match=f"{reason}.*; bring HTML, Markdown or PDF with: --statement FILE"
    ) as caught:
        read_statement(tmp_path / name, BASE)
    assert "使えません" in caught.value.in_language("ja")


def test_a_file_that_is_far_too_large_is_not_read(tmp_path):
    with (tmp_path / "a.md").open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(ContestUserError, match="larger than 20 MB"):
        read_statement(tmp_path / "a.md", BASE)
