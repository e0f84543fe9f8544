"""Every rewrite keeps the meaning of random plans, alone and after those before it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.plan.check import check
from holdfast.plan.relation import Plan
from holdfast.plan.rewrite import LAST, RULES, Rewrite
from holdfast.plan.types import Type
from tests.differential.answer import either
from tests.differential.ask import evaluated, plan_of
from tests.differential.rounds import Round, rounds

QUERIES, PART = 200, 50


@pytest.mark.parametrize("first", range(10_000, 10_000 + QUERIES, PART))
def test_a_rewrite_does_not_change_what_a_plan_means(first: int) -> None:
    changed: set[str] = set()
    for part in rounds(range(first, first + PART)):
        for seed, query in part.queries():
            plan, types = plan_of(query.text, part.catalog, optimized=False)
            step = plan
            for rule in dict.fromkeys((*RULES, *LAST)):
                alone = rewritten(part, seed, plan, types, rule)
                step = rewritten(part, seed, step, types, rule)
                if alone is not plan or step is not plan:
                    changed.add(rule.__name__)
    assert len(changed) > len(set(RULES)) / 2, "the plans are not the ones that rewrites are for"


def rewritten(part: Round, seed: int, plan: Plan, types: tuple[Type, ...], rule: Rewrite) -> Plan:
    """The plan after the rule, which has the same answer."""
    after = replace(plan, relation=rule(plan.relation))
    if after is plan:
        return plan
    check(after, decorrelated=True)
    before, now = (evaluated(each, types, part.catalog) for each in (plan, after))
    difference = now.differs(before, ordered=True)
    text = part.generator(seed).query().text
    assert difference is None or either(now, before), part.report(seed, text, f"{rule.__name__}: {difference}")
    return after
