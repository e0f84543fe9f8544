"""Regular expressions made at random, with PostgreSQL's answers; Python's own match is used only if it is the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.plan.regex.certain import certain
from holdfast.plan.regex.compiled import Compiled, compiled
from holdfast.plan.regex.exact import ExactMatcher, Run
from holdfast.plan.regex.parse import Options, options_of, parsed

ANSWERS: list[tuple[str, str, tuple[str | None, ...]]] = [
    (r"(\M|((?:\d+b{0,2}|\w{2}?a|\d){1}))", "axab1x", ("axa", "axa")),
    (r"((a(\w{1,1}?)?|(?<=b)x{1})|[^a])", "abc1 ", ("ab", "ab", "b")),
    (r"([ab]{1}\d|((?<=a)|c\d\d{1,2}))", "1a1bc1 ", ("a1", None)),
    (r"((?<!b)(?<!b)|\w{1,2}?a*b)", "xabbcb", ("xab",)),
    ("([ab]{1,1}?.{1}|a{1,1}|(b?)?)", "aca1 ", ("ac", None)),
    (r"(b(?:b(.)+|c{1}x\d*|(?=b)){0,2})", "cbxxb", ("b", None)),
    ("(a{1}b(?:(?=b).)?|(b{1,1})*?)", "bba ", ("bb", "b")),
    ("(([ab]{1,1}|[^a]{1,1}|b){1,1})", "xaa ", ("x", "x")),
    (r"(\d+.{0,2}|[^a]??|(bb)b+?[^a])", "b 1c", ("b", None)),
    ("(.{2}?|([ab]){0,2}?)", "ac1", ("ac", None)),
    (r"((?:\dx*?b|[^a](?!a))|c{2}?b)", " xx", (" ",)),
    ("((?:(?!a)).+?[^a])", " xc", (" x",)),
    (r"((x){2}|a?c??\d{0,2}|a)", "1xa", ("1", None)),
    ("(a+?.+|a+(?!b))", "cab ", ("ab ",)),
    (r"((?:(x*bx??)+(ba)|$)|(c|bb\y))", "bcxbab", ("c", None, None, "c")),
    (r"((\y(?!a)))", "c b1b1", ("", "")),
    (r"(((?:c\w\w{1}|x)\m\w??|c*a)?.+?x)", "cbxc1", ("cbx", None)),
    (r"(b?\y|((?:\w|a{1})[^a]|(x+))*)", "bb1 b", ("bb1 ", "1 ", None)),
    (r"((?!b)(?!a)(?:(.?|.c*)+)|x|\M.{2})", "cb  x a", ("cb  x a", "")),
    ("(.?(c{1}?b){1,2})", "bcba", ("bcb", "cb")),
    ("(b(?<!a)|a+a?b{2}?)", "1xbxa", ("b",)),
    ("(((?:.{0,2}.{1}){0,2}))", "ab1a1", ("ab1a1", "ab1a1")),
    ("((?<!a)|(^)|c{1,1}b?b{0,2}?)", "bxaca", ("", None)),
    (r"(((\d|[ab]{1,1}\d{1}?)|\w{1,1})?)", "a xcc", ("a", "a", None)),
    ("(a|(?=a))", "bca", ("a",)),
    ("([^a]b|a?(aa)?c)", "bb1cxb", ("bb", None)),
    ("(a(a*(?:[^a]*){2,}?b)+?)", "cabb", ("ab", "b")),
    ("((?:x{0,2}?x{0,2}?b|$))", "bbxx1c", ("b",)),
    ("((?:.|(b{1})?cb))", "bx1a b", ("b", None)),
    ("(c{0,2}(c*(c{0,2})?|b|[ab]{2,}))", "b1a", ("b", "b", None)),
    (r"(c*|c+b{0,2}|(c*b{0,2}?(\w)))", "cababcb", ("ca", "ca", "a")),
    ("(a+(?!a)|a?a{1,1}|(a?){1,1}a{2})", "ac", ("a", None)),
    ("((?<!b)((?<=a)){0,2}|x?c(?<!a))", "ccxb", ("c", None)),
    (r"((x{2}\w*a){2}|[ab])", "c11a 1", ("a", None)),
    ("(([^a]b??)+a)", " ac", (" a", " ")),
    ("(x{2}?|a(?:c+(?=b))|a)", "xbbxab ", ("a",)),
    ("(bc?|(?:(?:b{2}?)){0,2}(?:b??)??)", "cb1cb", ("",)),
    ("(c{1,2}($)|b*)", "bac", ("b", None)),
    ("((?<!a)((?:.a??)))", "bbaaa", ("b", "b")),
    ("((?:(?:.{2,}b)|(?!b).+)|.*a+)", "ba x", ("ba",)),
    (r"((?:(b*){1,2}?\w+)a)", "bxa", ("bxa", "")),
    (r"((.+?\M|x{2}?a{1,2}))", "c1 a", ("c1 a", "c1 a")),
    ("(bb{0,2}(.{1}?b{0,2}?))", "bcx", ("bc", "c")),
    ("(.*(([ab]?){1,1}){2,}.*)", "1c", ("1c", "", "")),
    ("(b{2}(?:aa)+(?:bb{2}(b))??|b.{2,}?)", "abb1", ("bb1", None)),
    (r"(c*?|(a*(?:[ab]?\w+|\w??a*?)){1,2})", "1a1", ("1a1", "")),
    (r"((a*(?:\wa?[^a]?|\d{0,2}a*?))?)", "ab c", ("ab ", "ab ")),
    (r"(xc|b?a*?(?:.\m){1,1})", "b bbba", ("b ",)),
    ("(.{2,}(?!a)x?)", "axabca", ("axabca",)),
    ("(a*c{2,}(?:(?:[ab]?a.))|[ab]{2,})", "bb", ("bb",)),
    (r"(\w|c(a){1,1}[^a])", "bxa", ("b", None)),
    (r"((?:.{0,2}|b(b{2}?)|c)|x{2,}\wa)", "aba", ("ab", None)),
    (r"((?:b+|\w)+?(?<!a)|(b(b*|\d))c)", "xbb1x", ("xbb1x", None, None)),
    ("((?:b{2,}|.+))", "xbxax", ("xbxax",)),
    (r"((cb{1}?\w{1})?a)", "ba", ("a", None)),
    ("((?:aca+?|(?:[^a]+)){2,}?|a)", " b", (" b",)),
    (r"(((\w{2,}b[^a]|b{1,2}\d?|bb)+?|.$))", "axax ac", ("c", "c", None)),
    (r"(b?(\ma{0,2}c*){1}|c{0,2}\M)", " aaa", ("aa", "aa")),
    ("([ab]*?(?=a)|xa[ab]{1,2})", "b  acb", ("",)),
    ("((?:.))", "11", ("1",)),
]


def _groups(regex: Compiled, text: str) -> tuple[str | None, ...] | None:
    found = regex.search(text)
    if found is None:
        return None
    return tuple(None if span is None else text[slice(*span)] for span in found.groups)


@pytest.mark.parametrize(("pattern", "text", "groups"), ANSWERS)
def test_the_groups_are_postgresqls(pattern: str, text: str, groups: tuple[str | None, ...]) -> None:
    assert _groups(compiled(pattern, Options()), text) == groups


_atoms = st.sampled_from(["a", "b", "c", ".", "[ab]", "[^a]", r"\w", r"\d", "^", "$", r"\y", "(?=a)", "(?<!b)", "()"])
_quantifiers = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,2}", "*?", "+?", "??"])


def _extended(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pieces = st.tuples(inner, _quantifiers).map(lambda piece: f"(?:{piece[0]}){piece[1]}")
    captured = st.tuples(inner, _quantifiers).map(lambda piece: f"({piece[0]}){piece[1]}")
    rows = st.lists(pieces | captured | inner, min_size=1, max_size=3).map("".join)
    return st.lists(rows, min_size=1, max_size=2).map("|".join)


_patterns = st.recursive(_atoms, _extended, max_leaves=8)
_texts = st.text("ab1 c\n", max_size=8)


@settings(max_examples=100)
@given(pattern=_patterns, text=_texts)
def test_where_pythons_match_is_certain_it_is_the_exact_one(pattern: str, text: str) -> None:
    source = parsed(pattern, Options())
    found = compiled(pattern, Options()).search(text)
    exact = ExactMatcher(source, full=False)
    expected = next(
        ((start, *span) for start in range(len(text) + 1) if (span := exact.span(Run(text), start)) is not None), None
    )
    if found is None or expected is None:
        assert found is None
        assert expected is None
        return
    start, end, spans = expected
    assert (found.start, found.end) == (start, end)
    assert certain(source.regex) is False or found.groups == tuple(spans.get(n) for n in range(1, source.groups + 1))


@pytest.mark.parametrize(
    "pattern", [r"(\w+)@(\w+)\.com", r"^(.*),(.*)$", "foo.*bar", "(foo|bar)baz", r"https?://([^/]+)/(.*)"]
)
def test_what_users_write_is_matched_by_python_alone(pattern: str) -> None:
    assert certain(parsed(pattern, Options()).regex)


@pytest.mark.parametrize("pattern", ["(a|ab)(c|bcd)", "a?(ab)?", "(.*?)-(.*)", "(a+)+", r"(a)\1", "((a)|b)*"])
def test_a_choice_that_python_makes_otherwise_is_not_certain(pattern: str) -> None:
    assert not certain(parsed(pattern, Options()).regex)


def test_matches_do_not_overlap_and_empty_ones_step_over_a_character() -> None:
    found = [(match.start, match.end) for match in compiled("b*", Options()).matches("abbc")]
    assert found == [(0, 0), (1, 3), (3, 3), (4, 4)]


@pytest.mark.parametrize(
    ("flags", "pattern", "text", "exists"),
    [
        ("", r"\w", "é", True),
        ("", r"\w", "²", False),
        ("", r"\d", "٣", True),
        ("", r"\s", "\u1680", True),
        ("", "[[:upper:]]", "É", True),
        ("i", "[[:upper:]]", "é", True),
        ("i", "ß", "ẞ", False),
        ("i", "k", "\u212a", False),
        ("i", "\u212a", "k", True),
        ("i", "[à-ö]", "É", True),
        ("", r"[^\w]", "é", False),
        ("", r"[\W]", "é", False),
        ("", r"\mé", "aé", False),
    ],
)
def test_letters_are_those_of_unicode(flags: str, pattern: str, text: str, exists: bool) -> None:
    assert compiled(pattern, options_of(flags)).exists(text) is exists


def test_a_look_behind_may_be_of_any_length() -> None:
    assert compiled("(?<=a+)b", Options()).exists("aab")
    assert not compiled("(?<=^a+)b", Options()).exists("caab")
