"""Writing numbers by a template.

The template is gone through place by place beside the digits, as PostgreSQL does: blanks before the number, then its
sign, then digits, of which those after the last that counts are left out where there is no padding.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.plan.format.number_template import Character, Keyword, Template

_ROMAN = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)
_LONGEST_ROMAN = 15


def roman(number: int) -> str:
    if not 1 <= number <= 3999:
        return "#" * _LONGEST_ROMAN
    shown = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        shown += letters * count
    return shown


def write_roman(number: int, template: Template) -> str:
    shown = roman(number).rjust(0 if not template.fill else _LONGEST_ROMAN)
    letters = next(part.text for part in template.parts if isinstance(part, Keyword) and part.name == "RN")
    shown = shown if letters == "RN" else shown.lower()
    return "".join(
        part.text if isinstance(part, Character) else shown if part.name == "RN" else "" for part in template.parts
    )


def write_number(digits: str, negative: bool, template: Template) -> str:
    """`digits` are those of the number without its sign, rounded as the template wants, with a point if it has any."""
    before = template.before + template.multiplied
    length = len(digits.partition(".")[0])
    if length > before:
        digits = "#" * before + ("." + "#" * template.after if template.after or template.decimal else ".")
    return _Writer(template, digits, negative, blanks=max(before - length, 0), before=before).written()


@dataclass
class _Writer:
    template: Template
    digits: str
    negative: bool
    blanks: int
    before: int

    def written(self) -> str:
        template = self.template
        self.out: list[str] = []
        self.place = self.at = 0
        self.inside = False
        self.brackets = template.brackets and (template.fill or self.negative)
        self.sign = template.sign
        self._decide_sign()
        self.last = self._last_relevant()
        self.count = template.after + self.before - 1
        if not self.sign_written and self.blanks == 0:
            self.count += 1
        for part in template.parts:
            if isinstance(part, Character):
                self.out.append(part.text)
            else:
                self._write(part)
        return "".join(self.out)

    def _decide_sign(self) -> None:
        template = self.template
        if template.plus or template.minus:
            self.sign_written = not (template.plus and not template.minus)
            # `PL` alone leaves the minus to the number.
            return
        self.sign_written = not self.negative and not template.fill and template.sign is None
        if self.sign == "before" and self.before == template.sign_place:
            self.sign = "after"

    def _last_relevant(self) -> int | None:
        """The place of the last digit that is written where there is no padding."""
        template = self.template
        if template.fill or not template.decimal or "." not in self.digits:
            return None
        last = max(len(self.digits.rstrip("0")) - 1, self.digits.index("."))
        if template.zero_end > self.blanks:
            last = max(last, min(len(self.digits) - 1, template.zero_end - self.blanks))
        return last

    def _write(self, part: Keyword) -> None:
        match part.name:
            case "9" | "0" | "." | "D":
                self._write_place(part.name)
            case "," | "G":
                if self.inside:
                    self.out.append(",")
                elif self.template.fill:
                    self.out.append(" ")
            case "L":
                self.out.append(" ")
            case "MI":
                self.out.append("-" if self.negative else " " if self.template.fill else "")
            case "PL":
                self.out.append(" " if self.negative and self.template.fill else "" if self.negative else "+")
            case "SG":
                self.out.append("-" if self.negative else "+")
            case "TH":
                self._write_ordinal(part.text)

    def _write_ordinal(self, letters: str) -> None:
        if self.negative or self.template.decimal or self.digits.startswith("#"):
            return
        whole = self.digits.partition(".")[0]
        last = "" if whole[-2:-1] == "1" else whole[-1:]
        ending = {"1": "st", "2": "nd", "3": "rd"}.get(last, "th")
        self.out.append(ending.upper() if letters == "TH" else ending)

    def _write_place(self, name: str) -> None:
        template = self.template
        self.inside = False
        zeros = template.zero and template.zero_start - 1 <= self.place
        starts = self.place >= self.blanks or (template.zero and template.zero_start - 1 == self.place)
        if not self.sign_written and starts and (not self._is_blank_zero() or self._relevant_is_point()):
            self._write_sign()
        if self.place < self.blanks and not zeros:
            self.out.append(" " if template.fill else "")
        elif self.place < self.blanks:
            self.out.append("0")
            self.inside = True
        else:
            self._write_digit(name)
        self._write_end()
        self.place += 1

    def _is_blank_zero(self) -> bool:
        """A zero before the point that the template does not insist on."""
        return not self.template.zero and self.at == 0 and self.digits[:1] == "0" and self.template.after != 0

    def _relevant_is_point(self) -> bool:
        return self.last is not None and self.digits[self.last] == "."

    def _write_sign(self) -> None:
        if self.template.sign is not None:
            if self.sign == "before":
                self.out.append("-" if self.negative else "+")
                self.sign_written = True
        elif self.brackets:
            self.out.append("<" if self.negative else " ")
            self.sign_written = True
        else:
            self.out.append("-" if self.negative else " " if self.template.fill else "")
            self.sign_written = True

    def _write_digit(self, name: str) -> None:
        here = self.digits[self.at : self.at + 1]
        if here == ".":
            self.out.append(".")
        elif self.last is not None and self.at > self.last and name != "0":
            pass
        elif self._is_blank_zero():
            if self.template.fill:
                self.out.append(" ")
            elif self._relevant_is_point():
                self.out.append("0")
        elif here:
            self.out.append(here)
            self.inside = True
        if here:
            self.at += 1

    def _write_end(self) -> None:
        """What follows the last digit: a sign, or the bracket."""
        end = self.count + (1 if self.blanks else 0) + (1 if self.template.decimal else 0)
        if self.last is not None and self.last == self.at:
            end = self.place
        if self.place + 1 != end:
            return
        if self.sign_written and self.brackets:
            self.out.append(">" if self.negative else " ")
        elif self.template.sign is not None and self.sign == "after":
            self.out.append("-" if self.negative else "+")
