"""`holdfast sql`: a shell. psql, where there is one; else this one, which has history and tables, and little more."""

from __future__ import annotations

import os
import readline
import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from getpass import getpass
from pathlib import Path
from typing import Any, TextIO

import psycopg
from psycopg import Cursor
from psycopg.errors import Diagnostic
from psycopg.pq import TransactionStatus
from psycopg.types.string import TextLoader

from holdfast.errors import HoldfastError
from holdfast.hydration_bar import follow
from holdfast.plan.types import BASES
from holdfast.query import pointed
from holdfast.result_text import text_table
from holdfast.sql.parser import is_finished, parse
from holdfast.sql.render.quote import dotted
from holdfast.sql.syntax.statement.copy import CopyTo
from holdfast.sql.syntax.statement.create import CreateMaterializedView
from holdfast.sql.syntax.statement.subscribe import Subscribe

Row = tuple[Any, ...]  # texts and nulls
Connection = psycopg.Connection[Row]

_HISTORY_LINES = 10_000
_NUMBERS = frozenset(base.oid for base in BASES.values() if base.category == "N")
_MARKS = {TransactionStatus.INTRANS: "*", TransactionStatus.INERROR: "!"}

_HELP = """\
A statement ends with a semicolon. Of psql's commands there are:
  \\d [NAME]    all objects, or the columns of one
  \\dt \\dv      tables; views
  \\dn \\du \\l   schemas; roles; databases
  \\i FILE      run the statements of a file
  \\timing      say how long statements take, or no longer
  \\?           this
  \\q           leave"""

_COMMANDS = {
    "\\d": "SHOW OBJECTS",
    "\\dt": "SHOW TABLES",
    "\\dv": "SHOW VIEWS",
    "\\dn": "SHOW SCHEMAS",
    "\\du": "SHOW ROLES",
    "\\l": "SHOW DATABASES",
}


@dataclass(frozen=True, slots=True)
class ShellOptions:
    """Without `psql`, it is this shell even where there is a psql."""

    host: str = "127.0.0.1"
    port: int = 6875
    user: str = "materialize"
    database: str = "materialize"
    command: str | None = None
    psql: bool = True


def shell(options: ShellOptions) -> int:
    """Open it; returns the exit status, which is psql's: 1 if a statement failed, 2 if there is no connection."""
    program = shutil.which("psql") if options.psql else None
    if program is not None:
        where = ["-h", options.host, "-p", str(options.port), "-U", options.user, "-d", options.database]
        os.execv(program, ["psql", *where, *(() if options.command is None else ("-c", options.command))])
    try:
        connection = _connected(options)
    except psycopg.OperationalError as error:
        print(f"error: {str(error).strip()}", file=sys.stderr)
        return 2
    with connection:
        opened = Shell(connection, sys.stdout, sys.stderr)
        if options.command is not None:
            return 0 if opened.execute(options.command) else 1
        if sys.stdin.isatty():
            opened.talk()
            return 0
        return 0 if opened.execute(sys.stdin.read()) else 1


def _connected(options: ShellOptions) -> Connection:
    conninfo = psycopg.conninfo.make_conninfo(
        host=options.host,
        port=options.port,
        user=options.user,
        dbname=options.database,
        application_name="holdfast sql",
    )
    try:
        return psycopg.connect(conninfo, autocommit=True)
    except psycopg.OperationalError as error:
        if "no password supplied" not in str(error) or not sys.stdin.isatty():
            raise
    return psycopg.connect(conninfo, autocommit=True, password=getpass(f"Password for user {options.user}: "))


def _history_file() -> Path:
    # A folder that is not absolute is to be ignored, says the specification of XDG.
    named = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (named if named.is_absolute() else Path.home() / ".local" / "state") / "holdfast" / "history"


class Shell:
    def __init__(self, connection: Connection, out: TextIO, err: TextIO) -> None:
        self._connection, self._out, self._err = connection, out, err
        self._timing = False
        connection.add_notice_handler(self._notice)
        for oid in {oid for base in BASES.values() for oid in (base.oid, base.array_oid)}:
            # Values are shown as the server writes them.
            connection.adapters.register_loader(oid, TextLoader)

    # With a person

    def talk(self) -> None:
        """Until they leave."""
        history = _history_file()
        with suppress(OSError):
            readline.read_history_file(history)
        readline.set_auto_history(False)
        print('This is a small shell: "\\?" for help, "\\q" to leave.', file=self._out)
        while (typed := self._typed()) is not None:
            readline.add_history(typed)
            if typed.split() == ["\\q"]:
                break
            if typed.startswith("\\"):
                self._command(typed.split())
            else:
                self.execute(typed)
        readline.set_history_length(_HISTORY_LINES)
        with suppress(OSError):
            history.parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(history)

    def _typed(self) -> str | None:
        """One statement or command, None at the end."""
        text = ""
        while True:
            try:
                line = input(self._prompt(going_on=bool(text)))
            except EOFError:
                print(file=self._out)
                return None
            except KeyboardInterrupt:
                print(file=self._out)
                text = ""
                continue
            text = f"{text}\n{line}" if text else line.lstrip()
            if text.startswith("\\") or is_finished(text):
                return text

    def _prompt(self, *, going_on: bool) -> str:
        info = self._connection.info
        return f"{info.dbname}{'-' if going_on else '='}{_MARKS.get(info.transaction_status, '')}> "

    def _command(self, words: Sequence[str]) -> None:
        match words:
            case ["\\?"]:
                print(_HELP, file=self._out)
            case ["\\timing"]:
                self._timing = not self._timing
                print(f"Timing is {'on' if self._timing else 'off'}.", file=self._out)
            case ["\\i", path]:
                try:
                    self.execute(Path(path).read_text())
                except (OSError, UnicodeDecodeError) as error:
                    print(f"{path}: {error}", file=self._err)
            case ["\\d", name]:
                self.execute(f"SHOW COLUMNS FROM {name}")
            case [command] if command in _COMMANDS:
                self.execute(_COMMANDS[command])
            case [command, *_]:
                print(f"invalid command {command}\nTry \\? for help.", file=self._err)

    # Statements

    def execute(self, text: str) -> bool:
        """Run the statements and show what they answer; returns whether all went well."""
        begun = time.monotonic()
        try:
            with self._connection.cursor() as cursor:
                self._run(cursor, text)
        except psycopg.Error as error:
            self._complain(error, text)
            return False
        except KeyboardInterrupt:
            print("Cancelled.", file=self._err)
            return False
        finally:
            if self._timing:
                print(f"Time: {(time.monotonic() - begun) * 1000:.3f} ms", file=self._out)
        self._wait_for(text)
        return True

    def _run(self, cursor: Cursor[Row], text: str) -> None:
        match _only_statement(text):
            case Subscribe():
                for number, row in enumerate(cursor.stream(text.encode())):
                    if number == 0:
                        print("\t".join(column.name for column in cursor.description or ()), file=self._out)
                    print("\t".join("" if value is None else value for value in row), file=self._out, flush=True)
            case CopyTo():
                with cursor.copy(text.encode()) as copy:
                    for data in copy:
                        print(bytes(data).decode(), end="", file=self._out, flush=True)
            case _:
                cursor.execute(text.encode())
                self._show(cursor)
                while cursor.nextset():
                    self._show(cursor)

    def _wait_for(self, text: str) -> None:
        """Show how a view that was made gets its first rows, to someone who watches."""
        made = _only_statement(text)
        is_idle = self._connection.info.transaction_status == TransactionStatus.IDLE
        if isinstance(made, CreateMaterializedView) and self._out.isatty() and is_idle:
            follow(self._connection, dotted(made.name.parts), self._out)

    def _show(self, cursor: Cursor[Row]) -> None:
        if cursor.description is None:
            if cursor.statusmessage:
                print(cursor.statusmessage, file=self._out)
            return
        names = [column.name for column in cursor.description]
        right = [column.type_code in _NUMBERS for column in cursor.description]
        cells = [["" if value is None else value for value in row] for row in cursor.fetchall()]
        for line in text_table(names, right, cells):
            print(line, file=self._out)

    def _notice(self, said: Diagnostic) -> None:
        print(f"{said.severity}:  {said.message_primary}", file=self._err)
        self._details(said)

    def _complain(self, error: psycopg.Error, text: str) -> None:
        said = error.diag
        if said.message_primary is None:
            print(f"error: {str(error).strip()}", file=self._err)
            return
        print(f"{said.severity}:  {said.sqlstate}: {said.message_primary}", file=self._err)
        for line in pointed(text, int(said.statement_position or 0)):
            print(line, file=self._err)
        self._details(said)

    def _details(self, said: Diagnostic) -> None:
        for title, more in (("DETAIL", said.message_detail), ("HINT", said.message_hint)):
            if more:
                print(f"{title}:  {more}", file=self._err)


def _only_statement(text: str) -> object:
    """The statement that a text is, None if it is none or several."""
    try:
        parsed = parse(text)
    except HoldfastError:
        return None
    return parsed[0].statement if len(parsed) == 1 else None
