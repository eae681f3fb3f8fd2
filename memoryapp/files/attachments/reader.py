"""The text within bytes, as a program of its own: `reader.py <media type>`, bytes in, JSON out.

It runs apart from the product, with limits on its time and memory that the system enforces, so that a file which is
broken, or made to do harm, ends this program and nothing else. It opens no file and no connection.
"""

from __future__ import annotations

import contextlib
import json
import sys
import zipfile
from collections.abc import Iterator
from html.parser import HTMLParser
from io import BytesIO
from typing import Any

MOST_TEXT = 1_000_000
MOST_UNPACKED = 100_000_000
"""Bytes that a packed file may unpack to."""
MOST_MEMORY = 1_000_000_000
MOST_SECONDS = 20
_BLOCKS = {"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "table", "ul", "ol"}
_SILENT = {"script", "style", "template", "noscript", "head"}


class Unreadable(Exception):
    """Why there is no text, as a word."""


def limit() -> None:
    """Let the system end this program when it takes too much."""
    with contextlib.suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def pieces(media_type: str, data: bytes) -> Iterator[str]:
    """The text piece by piece, as it is found."""
    if media_type == "application/pdf":
        return _pdf(data)
    if media_type.endswith("wordprocessingml.document"):
        return _docx(data)
    if media_type.endswith("spreadsheetml.sheet"):
        return _xlsx(data)
    text = data.decode("utf-8-sig", errors="replace")
    return _html(text) if media_type == "text/html" else iter([text])


def _pdf(data: bytes) -> Iterator[str]:
    from pypdf import PdfReader

    reader = PdfReader(BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable("encrypted")
    for page in reader.pages:
        yield page.extract_text() + "\n"


def _docx(data: bytes) -> Iterator[str]:
    import docx
    from docx.table import Table

    _refuse_bomb(data)
    for part in docx.Document(BytesIO(data)).iter_inner_content():
        if isinstance(part, Table):
            for row in part.rows:
                yield "\t".join(cell.text for cell in row.cells) + "\n"
        else:
            yield part.text + "\n"


def _xlsx(data: bytes) -> Iterator[str]:
    import openpyxl

    _refuse_bomb(data)
    book = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True)
    for sheet in book.worksheets:
        yield f"{sheet.title}\n"
        for row in sheet.iter_rows(values_only=True):
            line = "\t".join("" if value is None else str(value) for value in row).rstrip()
            if line:
                yield line + "\n"


def _refuse_bomb(data: bytes) -> None:
    with zipfile.ZipFile(BytesIO(data)) as packed:
        if sum(one.file_size for one in packed.infolist()) > MOST_UNPACKED:
            raise Unreadable("bomb")


class _Words(HTMLParser):
    """The words of a page, without what is not shown."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.silent += tag in _SILENT
        if tag in _BLOCKS:
            self.found.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self.silent = max(0, self.silent - (tag in _SILENT))
        if tag in _BLOCKS:
            self.found.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.found.append(data)


def _html(text: str) -> Iterator[str]:
    parser = _Words()
    parser.feed(text)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.found).split("\n"))
    yield "\n".join(line for line in lines if line)


def found(media_type: str, data: bytes) -> dict[str, Any]:
    """The text, at most `MOST_TEXT` characters of it; or the word for why there is none."""
    parts: list[str] = []
    length = 0
    try:
        for piece in pieces(media_type, data):
            parts.append(piece)
            length += len(piece)
            if length > MOST_TEXT:
                break
    except Unreadable as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "bomb"}
    except Exception:
        return {"error": "broken"}
    text = "".join(parts)
    clean = "".join(one for one in text if one in "\n\t" or (one >= " " and not "\ud800" <= one <= "\udfff"))
    return {"text": clean[:MOST_TEXT], "cut": length > MOST_TEXT}


if __name__ == "__main__":
    limit()
    json.dump(found(sys.argv[1], sys.stdin.buffer.read()), sys.stdout)
