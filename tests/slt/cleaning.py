"""What a file leaves behind is gone before the next one: objects, databases, roles, settings."""

from __future__ import annotations

from psycopg import sql

from tests.serving import ServerProcess

_OURS = ["mz_system", "materialize"]

_OBJECTS = """
    SELECT d.name, s.name, o.name, o.type
    FROM mz_objects AS o JOIN mz_schemas AS s ON s.id = o.schema_id JOIN mz_databases AS d ON d.id = s.database_id
"""
_SCHEMAS = "SELECT d.name, s.name FROM mz_schemas AS s JOIN mz_databases AS d ON d.id = s.database_id"


def clean(server: ServerProcess) -> None:
    """What there is afterwards is what there was at first, but for the numbers that were given to things."""
    with server.connect() as connection:
        connection.execute("SET search_path = mz_catalog")
        for (database,) in connection.execute("SELECT name FROM mz_databases WHERE name <> 'materialize'").fetchall():
            connection.execute(sql.SQL("DROP DATABASE {} CASCADE").format(sql.Identifier(str(database))))
        for *where, kind in connection.execute(_OBJECTS).fetchall():
            name, what = sql.Identifier(*map(str, where)), sql.SQL(str(kind).upper().replace("-", " "))
            connection.execute(sql.SQL("DROP {} IF EXISTS {} CASCADE").format(what, name))
        for database, schema in connection.execute(_SCHEMAS).fetchall():
            if schema != "public":
                name = sql.Identifier(str(database), str(schema))
                connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(name))
        roles = "SELECT name FROM mz_roles WHERE NOT name = ANY (%s)"
        others = [sql.Identifier(str(name)) for (name,) in connection.execute(roles, (_OURS,)).fetchall()]
        for other in others:
            connection.execute(sql.SQL("DROP OWNED BY {}").format(other))
        if others:
            connection.execute(sql.SQL("DROP ROLE {}").format(sql.SQL(", ").join(others)))
        connection.execute("ALTER SYSTEM RESET ALL")
