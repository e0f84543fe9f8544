"""Options and their values."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.sql.render.expression import ExpressionRenderer
from holdfast.sql.render.quote import dotted, identifier, string
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.option import (
    Broker,
    Brokers,
    NetworkRules,
    Option,
    OptionGroup,
    OptionValue,
    Phrase,
    SecretReference,
    ValueList,
)


def options(listed: Iterable[Option], renderer: ExpressionRenderer) -> str:
    """What stands in the parentheses of a list of options."""
    return ", ".join(_option(item, renderer) for item in listed)


def _option(option: Option, renderer: ExpressionRenderer) -> str:
    if option.value is None:
        return option.name
    if option.name == "BROKER" and isinstance(option.value, Brokers):
        return f"BROKER {_broker(option.value.items[0], renderer)}"
    return f"{option.name} = {_value(option.value, renderer)}"


def _value(value: OptionValue, renderer: ExpressionRenderer) -> str:
    match value:
        case ObjectName(parts=parts):
            return dotted(parts)
        case SecretReference(name=name):
            return f"SECRET {dotted(name.parts)}"
        case ValueList(items=items, brackets=brackets):
            inside = ", ".join(_value(item, renderer) for item in items)
            return f"[{inside}]" if brackets else f"({inside})"
        case OptionGroup(options=group):
            return f"({options(group, renderer)})"
        case Phrase(words=words, arguments=arguments):
            return " ".join([words, *_arguments(words, arguments, renderer)])
        case Brokers(items=brokers):
            return f"({', '.join(_broker(broker, renderer) for broker in brokers)})"
        case NetworkRules(items=rules):
            return "(" + ", ".join(f"{identifier(r.name)} ({options(r.options, renderer)})" for r in rules) + ")"
        case _:
            return renderer.expression(value)


def _arguments(words: str, arguments: tuple[OptionValue, ...], renderer: ExpressionRenderer) -> Iterable[str]:
    for index, argument in enumerate(arguments):
        if words == "INLINE":
            yield "AS"
        if words == "EVERY" and index == 1:
            yield "ALIGNED TO"
        yield _value(argument, renderer)


def _broker(broker: Broker, renderer: ExpressionRenderer) -> str:
    text = f"{'MATCHING ' if broker.matching else ''}{string(broker.address)}"
    if broker.tunnel_kind is None or broker.tunnel is None:
        return text
    text += f" USING {broker.tunnel_kind} {dotted(broker.tunnel.parts)}"
    return f"{text} ({options(broker.options, renderer)})" if broker.options else text
