"""A catalog for tests of planning."""

from __future__ import annotations

from holdfast.plan.types import BOOL, DATE, INT4, INT8, JSONB, TEXT, TIMESTAMP, Type, array_of, numeric, record_of
from holdfast.sql.catalog import CatalogColumn, CatalogRelation, WithoutFunctions


class TestCatalog(WithoutFunctions):
    """Relations t (key a), u and s.t, a view v, and a composite type pair."""

    __test__ = False

    RELATIONS = (
        CatalogRelation(
            "t",
            "t",
            (
                CatalogColumn("a", INT4, nullable=False),
                CatalogColumn("b", INT8),
                CatalogColumn("c", TEXT),
                CatalogColumn("d", numeric(10, 2, declared=True)),
            ),
            ((0,),),
            ("db", "public"),
        ),
        CatalogRelation(
            "u",
            "u",
            (CatalogColumn("a", INT8), CatalogColumn("x", TEXT), CatalogColumn("e", DATE)),
            (),
            ("db", "public"),
        ),
        CatalogRelation(
            "s.t",
            "t",
            (
                CatalogColumn("flag", BOOL),
                CatalogColumn("items", array_of(INT4)),
                CatalogColumn("j", JSONB),
                CatalogColumn("at", TIMESTAMP),
            ),
            (),
            ("db", "s"),
        ),
        CatalogRelation(
            "v",
            "v",
            (CatalogColumn("a", INT4), CatalogColumn("n", INT8)),
            (),
            ("db", "public"),
            "SELECT a, count(*) AS n FROM t GROUP BY a",
        ),
    )

    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:
        wanted = ("db", "public", *parts) if len(parts) == 1 else ("db", *parts) if len(parts) == 2 else parts
        return next((found for found in self.RELATIONS if (*found.schema, found.name) == wanted), None)

    def type(self, parts: tuple[str, ...]) -> Type | None:
        return record_of(("x", "y"), (INT4, TEXT), "pair") if parts[-1] == "pair" else None
