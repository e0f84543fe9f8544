"""What a request asks: `{"query": "..."}`, or `{"queries": [{"query": "...", "params": ["1", null]}, ...]}`."""

from __future__ import annotations

import json
from dataclasses import dataclass

from holdfast.adapter.client_errors import RequestMalformed
from holdfast.errors import HoldfastError
from holdfast.sql.errors import NotSupported
from holdfast.sql.parser import Parsed, parse
from holdfast.sql.syntax.statement.copy import CopyFrom, CopyTo
from holdfast.sql.syntax.statement.cursor import Close, Declare, Fetch
from holdfast.sql.syntax.statement.subscribe import Subscribe

_CONVERSING = (CopyFrom, CopyTo, Close, Declare, Fetch)


@dataclass(frozen=True, slots=True)
class Simple:
    """Statements that are one transaction, unless they say otherwise."""

    query: str


@dataclass(frozen=True, slots=True)
class Extended:
    """One statement and the texts of its parameters."""

    query: str
    params: tuple[str | None, ...]


def read_request(body: str | bytes) -> Simple | tuple[Extended, ...]:
    asked = read_object(body)
    if asked.keys() == {"query"} and isinstance(asked["query"], str):
        return Simple(asked["query"])
    if asked.keys() == {"queries"} and isinstance(asked["queries"], list):
        return tuple(_extended(each) for each in asked["queries"])
    raise RequestMalformed('the request is neither {"query": text} nor {"queries": [...]}')


def read_object(body: str | bytes) -> dict[str, object]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestMalformed("the request is not JSON") from None
    if not isinstance(found, dict):
        raise RequestMalformed("the request is not an object of JSON")
    return found


def read_options(found: object) -> dict[str, str]:
    """Variables for the session."""
    if found is None:
        return {}
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise RequestMalformed("the options are not an object of texts")
    return found


def _extended(found: object) -> Extended:
    if not isinstance(found, dict) or not isinstance(found.get("query"), str) or found.keys() - {"query", "params"}:
        raise RequestMalformed('a query is not {"query": text, "params": [...]}')
    params = found.get("params") or []
    if not isinstance(params, list) or not all(each is None or isinstance(each, str) for each in params):
        raise RequestMalformed("parameters are not an array of texts and nulls")
    return Extended(found["query"], tuple(params))


def parsed_for(query: str, *, streams: bool) -> list[Parsed]:
    """The statements, or none if they cannot be read: what is wrong with them is for the session to say.

    Refuses those that need a conversation that the API has no words for. `streams`: rows may go on coming.
    """
    try:
        found = parse(query)
    except HoldfastError:
        return []
    for each in found:
        if isinstance(each.statement, _CONVERSING) or (isinstance(each.statement, Subscribe) and not streams):
            raise NotSupported(f"unsupported via this API: {query[each.start : each.end].strip()}")
    return found


def is_streaming(parsed: Parsed) -> bool:
    """Whether rows of the statement may come for ever."""
    return isinstance(parsed.statement, Subscribe)
