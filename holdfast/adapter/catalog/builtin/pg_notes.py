"""`pg_catalog`: comments, and what depends on what."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, Shape, columns
from holdfast.adapter.catalog.builtin.routines import operators, routines
from holdfast.adapter.catalog.builtin.shown import Shown

CLASS, NAMESPACE, TYPE, PROC, OPERATOR, REWRITE, DATABASE, ROLE = 1259, 2615, 1247, 1255, 2617, 2618, 1262, 1260
"""The oids of the relations that have these objects."""

_REWRITE = Shape(
    "oid oid!, rulename name!, ev_class oid!, ev_type char!, ev_enabled char!, is_instead bool!, "
    "ev_qual pg_node_tree!, ev_action pg_node_tree!"
)


def descriptions(shown: Shown) -> Iterator[Row]:
    places = {
        **{schema.id: (schema.oid, NAMESPACE) for schema in shown.schemas_here},
        **{found.id: (found.oid, CLASS) for found in shown.relations_here},
        **{str(item.id): (item.oid, CLASS) for item in shown.indexes_here},
        **{str(item.id): (item.oid, TYPE) for item in shown.types_here},
    }
    for comment in shown.state.comments.values():
        if comment.object in places:
            oid, relation = places[comment.object]
            # The fields of a composite type are columns, so they are `pg_class`'s.
            yield oid, CLASS if comment.column and relation == TYPE else relation, comment.column or 0, comment.text
    yield from ((found.oid, PROC, 0, found.doc) for found in routines() if found.doc)
    yield from ((found.oid, OPERATOR, 0, found.doc) for found in operators() if found.doc)


def shared_descriptions(shown: Shown) -> Iterator[Row]:
    places = {
        **{database.id: (database.oid, DATABASE) for database in shown.state.databases.values()},
        **{role.id: (role.oid, ROLE) for role in shown.state.roles.values()},
    }
    for comment in shown.state.comments.values():
        if comment.object in places:
            yield (*places[comment.object], comment.text)


def _rules(shown: Shown) -> Iterator[Row]:
    """A view, materialized or not, is a rule of PostgreSQL's, which has its oid."""
    for found in shown.relations_here:
        if found.kind != "table":
            yield _REWRITE.row(
                oid=found.oid, rulename="_RETURN", ev_class=found.oid, ev_type="1", ev_enabled="O", is_instead=True
            )


def _dependencies(shown: Shown) -> Iterator[Row]:
    """What an object names: that of a view is its rule's."""
    oids = {found.id: (found.oid, CLASS) for found in shown.relations}
    oids.update({str(item.id): (item.oid, TYPE) for item in shown.types})
    oids.update({str(item.id): (item.oid, PROC) for item in shown.items if item.kind == "function"})
    for item in shown.items:
        if shown.is_here(shown.state.schemas[item.schema]):
            own = {"view": REWRITE, "materialized-view": REWRITE, "type": TYPE, "function": PROC}.get(item.kind, CLASS)
            for used in sorted(map(str, item.uses)):
                if used in oids:
                    oid, relation = oids[used]
                    yield own, item.oid, 0, relation, oid, 0, "a" if item.kind == "index" else "n"
            if item.query is not None:
                yield REWRITE, item.oid, 0, CLASS, item.oid, 0, "i"


RELATIONS: tuple[Builtin | BuiltinView, ...] = (
    Builtin(
        2609,
        "pg_catalog",
        "pg_description",
        columns("objoid oid!, classoid oid!, objsubid int4!, description text!"),
        descriptions,
        keys=((0, 1, 2),),
    ),
    Builtin(
        2396,
        "pg_catalog",
        "pg_shdescription",
        columns("objoid oid!, classoid oid!, description text!"),
        shared_descriptions,
        keys=((0, 1),),
    ),
    Builtin(2618, "pg_catalog", "pg_rewrite", _REWRITE.columns, _rules, keys=((0,),)),
    Builtin(
        2608,
        "pg_catalog",
        "pg_depend",
        columns(
            "classid oid!, objid oid!, objsubid int4!, refclassid oid!, refobjid oid!, refobjsubid int4!, deptype char!"
        ),
        _dependencies,
    ),
)
