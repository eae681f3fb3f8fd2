"""From what people write to the words that are searched: one analysis for every engine and every script.

Text is normalised (NFKC, case folded, optional marks of Latin, Greek, Arabic and Hebrew dropped), cut into words, freed
of stop words and stemmed by script: English for Latin letters, Russian for Cyrillic. Scripts written without spaces are
cut into overlapping pairs. Identifiers (`staging_eu_1`, `c++`) are kept whole beside their pieces. Nothing here raises
on any string.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise

import regex
import snowballstemmer

from memoryapp.index.stop_words import STOP_WORDS

ANALYSIS = 1
"""Edition of this analysis. Entries analysed by another edition are rebuilt."""

LONGEST_WORD = 64

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}ー々〆"
_LETTER = rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]"
_PIECES_OF = (
    r"(?P<sharp>(?<!{letter})[a-z](?:\+\+|\#)(?!{letter}))"
    r"|(?P<joined>{letter}++(?:[.\-]{letter}++){{0,6}}[_@]{letter}++(?:[_@.\-]{letter}++){{0,12}})"
    r"|(?P<word>{letter}++(?:['’ʼ`]{letter}++)*+)"
)
_PIECES = regex.compile(
    rf"(?P<unspaced>[{_UNSPACED}][{_UNSPACED}\p{{M}}]*+)|"
    + _PIECES_OF.format(letter=_LETTER)
    + r"|(?P<picture>\p{Extended_Pictographic})",
    regex.VERSION1,
)
_ASCII_PIECES = re.compile(_PIECES_OF.format(letter="[a-z0-9]"))
_CLUSTER = regex.compile(r"\X")
_OPTIONAL_MARKS = regex.compile(r"(?<=[\p{Latin}\p{Greek}\p{Arabic}\p{Hebrew}]\p{M}*)\p{M}|ـ|\p{Cf}", regex.VERSION1)
_MARKED = regex.compile(r"[\p{Latin}--[a-z]]|[\p{Greek}\p{Arabic}\p{Hebrew}\p{M}\p{Cf}]", regex.VERSION1)
_SPLIT_JOINED = regex.compile(r"[_@.\-]+")
_FOLD = str.maketrans(
    {"ı": "i", "ё": "е", "أ": "ا", "إ": "ا", "آ": "ا", "ى": "ي", "ة": "ه", "ø": "o", "ł": "l", "đ": "d"}
)
_SINGLES = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_LATIN = regex.compile(r"\p{Latin}+")
_CYRILLIC = regex.compile(r"\p{Cyrillic}+")
_SPELT = regex.compile(r"[\p{Latin}\p{Cyrillic}\p{Greek}]+")
_ARABIC = regex.compile(r"\p{Arabic}+")

_ENGLISH = snowballstemmer.stemmer("english")
_RUSSIAN = snowballstemmer.stemmer("russian")


@dataclass(frozen=True)
class Word:
    """A word as written (normalised) and the stem it is searched by."""

    written: str
    stem: str

    @property
    def may_be_misspelt(self) -> bool:
        """Whether a near word may stand for it: letters of a spaced script only. A code or number is exact or not."""
        return len(self.written) > 2 and _spelt(self.written)


def normalise(text: str) -> str:
    """Compatibility-normalised and case-folded text, without the marks a writer may leave out. Any string is taken."""
    plain = text.replace("’", "'")
    if plain.isascii():
        return plain.lower()
    folded = unicodedata.normalize("NFKC", plain).casefold()
    if _MARKED.search(folded):
        folded = _drop_optional_marks(folded)
    return folded.translate(_FOLD)


def _drop_optional_marks(text: str) -> str:
    bare = _OPTIONAL_MARKS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFKC", bare)


def words(text: str) -> list[Word]:
    """The searched words of a text, in order, with repeats, without stop words."""
    found: list[Word] = []
    folded = normalise(text)
    pieces = _ASCII_PIECES if folded.isascii() else _PIECES
    for piece in pieces.finditer(folded):
        match piece.lastgroup:
            case "unspaced":
                found.extend(Word(pair, pair) for pair in _pairs(piece.group()))
            case "joined":
                whole = piece.group()[:LONGEST_WORD]
                found.append(Word(whole, whole))
                found.extend(_plain(part) for part in _SPLIT_JOINED.split(piece.group()) if part not in STOP_WORDS)
            case "word":
                written = _without_apostrophes(piece.group())
                if written and written not in STOP_WORDS:
                    found.append(_plain(written))
            case _:
                found.append(Word(piece.group(), piece.group()))
    return found


def question_words(question: str) -> list[Word]:
    """The distinct words of a question, in order of first appearance. A lone sign of an unspaced script stands."""
    distinct: dict[str, Word] = {}
    for word in words(question):
        distinct.setdefault(word.stem, word)
    if any(len(stem) > 1 and _SINGLES.match(stem) for stem in distinct):
        return [word for stem, word in distinct.items() if len(stem) > 1 or not _SINGLES.match(stem)]
    return list(distinct.values())


@lru_cache(maxsize=4096)
def name_words(name: str) -> frozenset[str]:
    """The words by which a named person may be called in a question."""
    return frozenset(word.written for word in words(name) if len(word.written) > 1)


def _pairs(run: str) -> list[str]:
    """Single signs (of scripts where one sign is a word) and overlapping pairs of a run."""
    signs = [cluster[:8] for cluster in _CLUSTER.findall(run)]
    if len(signs) == 1:
        return signs
    singles = [sign for sign in signs if _SINGLES.match(sign)]
    return singles + [first + second for first, second in pairwise(signs)]


def _without_apostrophes(word: str) -> str:
    """A name's possessive loses its ending, a contraction of common words is one; `O'Neil` is searched as `oneil`."""
    for apostrophe in "'ʼ`":
        if apostrophe in word:
            if word.split(apostrophe)[0] in STOP_WORDS:
                return ""
            word = word.removesuffix(apostrophe + "s").replace(apostrophe, "")
    return word


def _plain(written: str) -> Word:
    written = written[:LONGEST_WORD]
    return Word(written, _stem(written))


@lru_cache(maxsize=1 << 16)
def _spelt(word: str) -> bool:
    return _SPELT.fullmatch(word) is not None


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    if _LATIN.fullmatch(word):
        return str(_ENGLISH.stemWord(word))
    if _CYRILLIC.fullmatch(word):
        return str(_RUSSIAN.stemWord(word))
    if _ARABIC.fullmatch(word):
        return _without_article(word)
    return word


def _without_article(word: str) -> str:
    for article in ("وال", "بال", "ال"):
        if word.startswith(article) and len(word) - len(article) > 2:
            return word.removeprefix(article)
    return word


def sign(workspace: str, stem: str) -> str:
    """What stands for a word in the engines' index files: a digest bound to the workspace, so that the files hold no
    text and one workspace's words never meet another's."""
    digest = blake2b(stem.encode("utf-8", "surrogatepass"), digest_size=7, key=workspace.encode()[:64])
    return "w" + digest.hexdigest()
