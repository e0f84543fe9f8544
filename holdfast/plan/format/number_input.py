"""Reading numbers by a template, as `to_number` does.

Each place of the template takes one character, and what is no digit there is nothing. So a separator that the template
does not have at the same place costs a digit.
"""

from __future__ import annotations

from decimal import Context, Decimal

from holdfast.plan.errors import InvalidTextRepresentation, NumericValueOutOfRange, UnsupportedValue
from holdfast.plan.format.number_template import Character, Template, parsed

_EXACT = Context(prec=120)
_DATA = frozenset("0123456789.,+-")


def read_number(text: str, template_text: str) -> Decimal:
    template = parsed(template_text)
    if template.exponent:
        raise UnsupportedValue('"EEEE" not supported for input')
    reader = _Reader(text, template)
    for part in template.parts:
        if reader.at >= len(text):
            break
        if isinstance(part, Character):
            reader.at += 1
        else:
            reader.read(part.name)
    return _value(reader, template)


def _value(reader: _Reader, template: Template) -> Decimal:
    digits = reader.digits.removesuffix(".")
    if not digits.strip("."):
        raise InvalidTextRepresentation(f'invalid input syntax for type numeric: "{reader.sign or " "}{digits}"')
    value = Decimal(reader.sign + digits)
    before = template.before + template.multiplied
    if abs(value) >= Decimal(10) ** before:
        error = NumericValueOutOfRange("numeric field overflow")
        after = len(digits.partition(".")[2])
        least = f"10^{before}" if before else "1"
        error.detail = (
            f"A field with precision {before + after}, scale {after} must round to an absolute value less than {least}."
        )
        raise error
    return value.scaleb(-template.multiplied, context=_EXACT)


class _Reader:
    """`sign` is empty until one was read."""

    def __init__(self, text: str, template: Template) -> None:
        self.text, self.template = text, template
        self.at = 0
        self.digits = ""
        self.sign = ""

    @property
    def _here(self) -> str:
        return self.text[self.at : self.at + 1]

    def read(self, name: str) -> None:
        match name:
            case "9" | "0" | "." | "D":
                self._read_place(name)
                self.at += 1
            case "," | "G":
                self.at += self.template.fill and self._here == ","
            case "MI" | "PL" | "SG":
                self._read_sign({"MI": "-", "PL": "+", "SG": "+-"}[name])
            case "L":
                self._skip(1)
            case "TH":
                self._skip(2)

    def _read_sign(self, signs: str) -> None:
        if self._here in signs:
            self.sign = self._here
            self.at += 1
        else:
            self._skip(1)

    def _skip(self, count: int) -> None:
        while count and self._here and self._here not in _DATA:
            self.at += 1
            count -= 1

    def _read_place(self, name: str) -> None:
        if self._here == " ":
            self.at += 1
        if not self.sign and name in "09" and not self.digits.strip("."):
            self._read_leading_sign()
        read = self._read_digit()
        if not self.sign and self.digits.strip(".") and self._here:
            self._read_trailing_sign(read=read)

    def _read_leading_sign(self) -> None:
        if self._here == "-" or (self.template.brackets and self._here == "<"):
            self.sign = "-"
            self.at += 1
        elif self._here == "+":
            self.sign = "+"
            self.at += 1

    def _read_digit(self) -> bool:
        _, point, after = self.digits.partition(".")
        if self._here.isdigit():
            if point and len(after) >= self.template.after:
                return False
            self.digits += self._here
            return True
        if self._here == "." and self.template.decimal and not point:
            self.digits += "."
            return True
        return False

    def _read_trailing_sign(self, *, read: bool) -> None:
        """Where it stands cannot be told from the template."""
        template = self.template
        if template.sign is not None:
            following = self.text[self.at + 1 : self.at + 2]
            if read and following in ("+", "-"):
                self.sign = following
                self.at += 1
        elif not read and (template.plus or template.minus) and self._here in "+-":
            self.sign = self._here
