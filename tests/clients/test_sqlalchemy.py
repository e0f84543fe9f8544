"""SQLAlchemy over each driver: Core, the ORM, what it finds out about tables, and pools of connections."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg
from sqlalchemy.exc import DBAPIError, IntegrityError, ProgrammingError
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship, selectinload

from tests.serving import ServerProcess

DRIVERS: dict[str, dict[str, Any]] = {
    # It would look for the type hstore in a transaction within one, and there are no savepoints.
    "psycopg": {"use_native_hstore": False},
    "psycopg2": {},
}


def url(server: ServerProcess, driver: str) -> sa.URL:
    return sa.URL.create(
        f"postgresql+{driver}", username="materialize", host="127.0.0.1", port=server.port, database="materialize"
    )


class Engines:
    """`apart` commits after each statement: so one defines things, and changes rows that are there."""

    def __init__(self, server: ServerProcess, schema: str, driver: str) -> None:
        options: dict[str, Any] = {"connect_args": {"options": f"-c search_path={schema}"}, **DRIVERS[driver]}
        self.together = sa.create_engine(url(server, driver), **options)
        self.apart = sa.create_engine(url(server, driver), isolation_level="AUTOCOMMIT", **options)


@pytest.fixture(params=list(DRIVERS))
def engines(request: pytest.FixtureRequest, server: ServerProcess, schema: str) -> Iterator[Engines]:
    made = Engines(server, schema, request.param)
    yield made
    made.together.dispose()
    made.apart.dispose()


@pytest.fixture
def engine(engines: Engines) -> sa.Engine:
    """One on which the table of all types is there."""
    METADATA.create_all(engines.apart)
    return engines.together


METADATA = sa.MetaData()
EVERYTHING = sa.Table(
    "everything",
    METADATA,
    sa.Column("id", sa.Integer, nullable=False),
    sa.Column("small", sa.SmallInteger),
    sa.Column("big", sa.BigInteger),
    sa.Column("flag", sa.Boolean),
    sa.Column("real", sa.REAL),
    sa.Column("double", sa.Double),
    sa.Column("exact", sa.Numeric(20, 6)),
    sa.Column("words", sa.Text),
    sa.Column("some", sa.String(10)),
    sa.Column("data", sa.LargeBinary),
    sa.Column("day", sa.Date),
    sa.Column("clock", sa.Time),
    sa.Column("moment", sa.DateTime),
    sa.Column("instant", sa.DateTime(timezone=True)),
    sa.Column("span", sa.Interval),
    sa.Column("document", pg.JSONB),
    sa.Column("uid", sa.Uuid),
    sa.Column("numbers", pg.ARRAY(sa.Integer)),
    sa.Column("texts", pg.ARRAY(sa.Text)),
)
ROW: dict[str, Any] = {
    "id": 1,
    "small": -(2**15),
    "big": 2**63 - 1,
    "flag": True,
    "real": 0.5,
    "double": 0.1,
    "exact": Decimal("12345678901234.123456"),
    "words": "ä€🙂 %s :x 'q' \\",
    "some": "0123456789",
    "data": bytes(range(256)),
    "day": dt.date(2024, 2, 29),
    "clock": dt.time(23, 59, 59, 999999),
    "moment": dt.datetime(2024, 2, 29, 12, 34, 56, 789),
    "instant": dt.datetime(2024, 2, 29, 12, 34, 56, 789, dt.UTC),
    "span": dt.timedelta(days=3, seconds=4, microseconds=5),
    "document": {"a": [1, None, {"b": "ä"}]},
    "uid": UUID(int=7),
    "numbers": [1, None, 3],
    "texts": ["a", None, ""],
}


def test_rows_go_in_and_come_back(engines: Engines, engine: sa.Engine) -> None:
    nothing: dict[str, Any] = {**dict.fromkeys(ROW), "id": 2}
    with engine.begin() as connection:
        connection.execute(sa.insert(EVERYTHING), [ROW, nothing])
    with engine.connect() as connection:
        found = connection.execute(sa.select(EVERYTHING).order_by(EVERYTHING.c.id)).mappings().all()
        assert [dict(row) for row in found] == [ROW, nothing]
    METADATA.drop_all(engines.apart)
    assert not sa.inspect(engine).has_table("everything")


def test_statements_are_built_and_answered(engine: sa.Engine) -> None:
    table = EVERYTHING.c
    given = [{**dict.fromkeys(ROW), "id": number, "small": number % 3} for number in range(30)]
    with engine.begin() as connection:
        connection.execute(sa.insert(EVERYTHING), given)
    with engine.connect() as connection:
        grouped = sa.select(table.small, sa.func.count(), sa.func.sum(table.id)).group_by(table.small)
        assert sorted(tuple(row) for row in connection.execute(grouped)) == [(0, 10, 135), (1, 10, 145), (2, 10, 155)]
        other = EVERYTHING.alias()
        joined = sa.select(sa.func.count()).select_from(EVERYTHING.outerjoin(other, table.id == other.c.id + 1))
        assert connection.scalar(joined) == 30
        ranked = sa.select(table.id, sa.func.row_number().over(order_by=table.id.desc()).label("n")).subquery()
        assert connection.scalar(sa.select(ranked.c.id).where(ranked.c.n == 1)) == 29
        some = sa.select(table.id).where(table.id.in_([1, 3, 99])).order_by(table.id)
        assert connection.scalars(some).all() == [1, 3]
        numbers = sa.select(table.id).cte("numbers")
        assert connection.scalar(sa.select(sa.func.max(numbers.c.id))) == 29
        page = sa.select(table.id).order_by(table.id).limit(2).offset(5)
        assert connection.scalars(page).all() == [5, 6]


def test_rows_are_changed_and_deleted(engines: Engines, engine: sa.Engine) -> None:
    table = EVERYTHING.c
    with engine.begin() as connection:
        connection.execute(sa.insert(EVERYTHING), [{"id": number, "small": number % 3} for number in range(30)])
    with engines.apart.connect() as connection:
        changed = connection.execute(sa.update(EVERYTHING).where(table.small == 1).values(big=table.id * 10))
        assert changed.rowcount == 10
        assert connection.execute(sa.delete(EVERYTHING).where(table.small == 2)).rowcount == 10
        assert connection.scalar(sa.select(sa.func.sum(table.big))) == 1450


@pytest.mark.usefixtures("engine")
def test_what_is_returned_is_read(engines: Engines) -> None:
    with engines.apart.connect() as connection:
        made = connection.execute(sa.insert(EVERYTHING).values(id=5, words="x").returning(EVERYTHING.c.id))
        assert made.scalar_one() == 5


def test_tables_and_views_are_reflected(engines: Engines, engine: sa.Engine, schema: str) -> None:
    with engines.apart.connect() as connection:
        connection.execute(sa.text("CREATE VIEW seen AS SELECT id, words FROM everything"))
        connection.execute(sa.text("CREATE TABLE defaults (a integer NOT NULL DEFAULT 7, b text DEFAULT 'x')"))
        connection.execute(sa.text("COMMENT ON TABLE everything IS 'all types'"))
        connection.execute(sa.text("COMMENT ON COLUMN everything.words IS 'in words'"))
    inspector = sa.inspect(engine)
    assert schema in inspector.get_schema_names()
    assert inspector.default_schema_name == schema
    assert sorted(inspector.get_table_names()) == ["defaults", "everything"]
    assert inspector.get_view_names() == ["seen"]
    assert "SELECT" in (inspector.get_view_definition("seen") or "")
    assert inspector.get_table_comment("everything") == {"text": "all types"}
    assert inspector.has_table("everything", schema)
    assert inspector.get_foreign_keys("everything") == []
    assert inspector.get_indexes("everything") == []
    found = {column["name"]: column for column in inspector.get_columns("everything")}
    dialect: Any = engine.dialect
    declared = {column.name: column.type.compile(dialect) for column in EVERYTHING.columns}
    assert {name: column["type"].compile(dialect) for name, column in found.items()} == declared
    assert [name for name, column in found.items() if not column["nullable"]] == ["id"]
    assert found["words"]["comment"] == "in words"
    a, b = inspector.get_columns("defaults")
    assert (a["default"], b["default"]) == ("7", "'x'")
    again = sa.MetaData()
    again.reflect(engine, views=True)
    assert set(again.tables) == {"everything", "defaults", "seen"}


def test_materialized_views_and_indexes_are_reflected(engines: Engines, engine: sa.Engine) -> None:
    with engines.apart.connect() as connection:
        made = "CREATE MATERIALIZED VIEW counted AS SELECT words, count(*) AS n FROM everything GROUP BY words"
        connection.execute(sa.text(made))
        connection.execute(sa.text("CREATE INDEX ON counted (words)"))
        connection.execute(sa.text("CREATE INDEX odd ON everything ((id + 1), words)"))
    inspector = sa.inspect(engine)
    assert inspector.get_materialized_view_names() == ["counted"]
    assert inspector.get_view_names() == []
    assert [column["name"] for column in inspector.get_columns("counted")] == ["words", "n"]
    (plain,) = inspector.get_indexes("counted")
    assert (plain["name"], plain["column_names"], plain["unique"]) == ("counted_words_idx", ["words"], False)
    (odd,) = inspector.get_indexes("everything")
    assert (odd["column_names"], odd["expressions"]) == ([None, "words"], ["(id + 1)", "words"])
    again = sa.Table("counted", sa.MetaData(), autoload_with=engine)
    assert [index.name for index in again.indexes] == ["counted_words_idx"]


class Base(DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "customers"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str]
    orders: Mapped[list[Order]] = relationship(back_populates="customer", cascade="all")


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    customer_id: Mapped[int] = mapped_column(sa.ForeignKey("customers.id"))
    total: Mapped[Decimal]
    customer: Mapped[Customer] = relationship(back_populates="orders")


CREATE = (
    "CREATE TABLE customers (id integer NOT NULL, name text NOT NULL)",
    "CREATE TABLE orders (id integer NOT NULL, customer_id integer NOT NULL, total numeric NOT NULL)",
)


def test_objects_are_stored_found_and_changed(engines: Engines) -> None:
    """A transaction reads or inserts. What is read and then changed is committed statement by statement."""
    engine = engines.together
    with engines.apart.connect() as connection:
        for statement in CREATE:
            connection.execute(sa.text(statement))
    with Session(engine) as session, session.begin():
        ada = Customer(
            id=1, name="Ada", orders=[Order(id=10, total=Decimal("5.5")), Order(id=11, total=Decimal("4.5"))]
        )
        session.add_all([ada, Customer(id=2, name="Bob")])
    with Session(engine) as session:
        found = session.scalars(sa.select(Customer).options(selectinload(Customer.orders)).order_by(Customer.id)).all()
        assert [(each.name, sorted(order.id for order in each.orders)) for each in found] == [
            ("Ada", [10, 11]),
            ("Bob", []),
        ]
        total = sa.select(Customer.name, sa.func.sum(Order.total)).join(Order).group_by(Customer.name)
        assert [tuple(row) for row in session.execute(total)] == [("Ada", Decimal(10))]
    with Session(engines.apart) as session:
        bob = session.scalars(sa.select(Customer).where(Customer.name == "Bob")).one()
        bob.name = "Robert"
        session.commit()
        ada = session.get_one(Customer, 1)
        session.delete(ada)
        session.commit()
    with Session(engine) as session:
        assert session.scalars(sa.select(Customer.name)).all() == ["Robert"]
        assert session.scalar(sa.select(sa.func.count()).select_from(Order)) == 0


def test_errors_are_of_the_right_class(engine: sa.Engine) -> None:
    with engine.connect() as connection, pytest.raises(ProgrammingError, match='relation "nowhere" does not exist'):
        connection.execute(sa.text("SELECT * FROM nowhere"))
    with engine.connect() as connection, pytest.raises(IntegrityError, match="not-null"):
        connection.execute(sa.insert(EVERYTHING).values(words="x"))
    with engine.connect() as connection, pytest.raises(DBAPIError, match="division by zero"):
        connection.execute(sa.text("SELECT 1 / 0"))


def test_connections_of_a_pool_notice_that_the_server_was_killed(server: ServerProcess, schema: str) -> None:
    options = {"options": f"-c search_path={schema}"}
    engine = sa.create_engine(
        url(server, "psycopg2"), connect_args=options, pool_pre_ping=True, isolation_level="AUTOCOMMIT"
    )
    METADATA.create_all(engine)
    with engine.connect() as connection:
        connection.execute(sa.insert(EVERYTHING).values(id=1))
    server.restart()
    with engine.connect() as connection:
        assert connection.scalar(sa.select(EVERYTHING.c.id)) == 1
    engine.dispose()


@pytest.mark.parametrize("level", ["SERIALIZABLE", "REPEATABLE READ", "READ COMMITTED", "AUTOCOMMIT"])
@pytest.mark.parametrize("driver", DRIVERS)
def test_isolation_levels_are_set(server: ServerProcess, driver: str, level: Any) -> None:
    engine = sa.create_engine(url(server, driver), isolation_level=level, **DRIVERS[driver])
    with engine.connect() as connection:
        assert connection.scalar(sa.text("SELECT 1")) == 1
    engine.dispose()


def test_rows_are_streamed(engines: Engines) -> None:
    query = sa.text("SELECT n FROM generate_series(1, 3000) AS s (n) ORDER BY n")
    with engines.together.connect() as connection:
        result = connection.execution_options(stream_results=True, max_row_buffer=100).execute(query)
        assert [row[0] for row in result] == list(range(1, 3001))


async def test_asyncpg_stores_and_finds(server: ServerProcess, schema: str) -> None:
    settings = {"server_settings": {"search_path": schema}}
    engine = create_async_engine(url(server, "asyncpg"), connect_args=settings)
    apart = create_async_engine(url(server, "asyncpg"), connect_args=settings, isolation_level="AUTOCOMMIT")
    async with apart.connect() as connection:
        await connection.run_sync(METADATA.create_all)
    async with AsyncSession(engine) as session, session.begin():
        await session.execute(sa.insert(EVERYTHING), [ROW])
    async with AsyncSession(engine) as session:
        found = (await session.execute(sa.select(EVERYTHING))).mappings().all()
        assert [dict(row) for row in found] == [ROW]
    async with engine.connect() as connection:
        stream = await connection.stream(sa.select(EVERYTHING.c.id))
        assert [row[0] async for row in stream] == [1]
    await engine.dispose()
    await apart.dispose()
