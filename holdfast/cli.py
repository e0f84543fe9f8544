"""The command line: `holdfast`.

Each command loads what it alone needs when it is run: without the rest, a server starts sooner.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

from holdfast.errors import HoldfastError
from holdfast.persist.blob import Blob
from holdfast.persist.inspect import collection_tables, collections_table, store_table
from holdfast.persist.location import Location
from holdfast.persist.metadata import Metadata
from holdfast.persist.scrub import scrub
from holdfast.persist.unlock import unlock
from holdfast.plan.functions import listing as functions
from holdfast.server.settings import PREFIX, add_flags, read_settings


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    try:
        status = options.run(options)
    except HoldfastError as error:
        status = _complain(error)
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="holdfast", description="Exact, consistent answers over changing data.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    server = commands.add_parser(
        "serve",
        help="start a server that PostgreSQL clients connect to",
        description=f"Start a server. Each setting is also a variable ({PREFIX}DATA_DIR) and a line of the file.",
    )
    add_flags(server)
    server.set_defaults(run=_serve)

    asking = commands.add_parser("sql", help="open a shell: psql, or a small one where there is no psql")
    asking.add_argument("--host", default="127.0.0.1", help="(default: %(default)s)")
    asking.add_argument("--port", type=int, default=6875, help="(default: %(default)s)")
    asking.add_argument("--user", default="materialize", help="(default: %(default)s)")
    asking.add_argument("--database", default="materialize", help="(default: %(default)s)")
    asking.add_argument("--command", "-c", metavar="SQL", help="run this, and leave")
    asking.add_argument("--psql", action=argparse.BooleanOptionalAction, default=True, help="psql, if there is one")
    asking.set_defaults(run=_sql)

    shown = commands.add_parser("demo", help="a session with a server, in a folder that is removed afterwards")
    shown.add_argument("--persist", action="store_true", help="instead, a tour of the layer that keeps collections")
    shown.set_defaults(run=_demo)

    ask = commands.add_parser(
        "query", help="run a query over files", description="Run a query of PostgreSQL's SQL over files, on Spark."
    )
    ask.add_argument("sql", metavar="SQL", help="the query")
    ask.add_argument(
        "--table",
        action="append",
        type=_table,
        default=[],
        metavar="NAME=FILE",
        help="a table: a file that ends with .parquet, .csv (with names in the first line), .json or .jsonl (lines)",
    )
    ask.add_argument("--format", choices=("table", "csv", "json"), default="table", help="(default: %(default)s)")
    ask.add_argument(
        "--explain", choices=("plan", "decorrelated", "optimized", "spark"), help="show how, instead of running it"
    )
    ask.set_defaults(run=_query)

    listing = commands.add_parser("functions", help="list the functions and operators of SQL")
    listing.add_argument("name", nargs="?", metavar="NAME", help="only those with this in their name")
    listing.add_argument("--family", help="only those of families with this in their title")
    listing.add_argument("--markdown", action="store_true", help="as the page of the reference")
    listing.set_defaults(run=_functions)

    for name, run, text in (
        ("inspect", _inspect, "show the collections of a store, or one of them in detail"),
        ("scrub", _scrub, "verify a whole store and name what is damaged"),
        ("unlock", _unlock, "release the lock of a writer that is gone for good"),
    ):
        command = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        command.add_argument("--data-dir", default="./holdfast-data", help="the store's folder (default: %(default)s)")
        command.add_argument("--metadata", help="instead: where the metadata is, sqlite:///FILE or postgresql://...")
        command.add_argument("--blob", help="instead: where the parts are, a folder or s3://BUCKET/PREFIX")
        command.set_defaults(run=run)
        if name == "inspect":
            command.add_argument("collection", nargs="?", help="the name of a collection")
    return parser


def _table(argument: str) -> tuple[str, Path]:
    name, equals, path = argument.partition("=")
    if not (name and equals and path):
        raise argparse.ArgumentTypeError(f"{argument!r} is not NAME=FILE")
    return name, Path(path)


def _complain(error: HoldfastError) -> int:
    print(f"error: {error}", file=sys.stderr)
    for title, text in (("detail", error.detail), ("hint", error.hint)):
        if text:
            print(f"{title}: {text}", file=sys.stderr)
    return 1


def _serve(options: argparse.Namespace) -> int:
    from holdfast.serve import serve

    return serve(read_settings(options, os.environ))


def _demo(options: argparse.Namespace) -> int:
    from holdfast.demo import demo
    from holdfast.tour import tour

    return tour() if options.persist else demo()


def _query(options: argparse.Namespace) -> int:
    from holdfast.query import query

    return query(options.sql, dict(options.table), options.format, options.explain)


def _sql(options: argparse.Namespace) -> int:
    from holdfast.shell import ShellOptions, shell

    names = [each.name for each in fields(ShellOptions)]
    return shell(ShellOptions(**{name: getattr(options, name) for name in names}))


def _functions(options: argparse.Namespace) -> int:
    listed = functions.matching(options.name, options.family)
    if not listed:
        print("error: there are none", file=sys.stderr)
        return 1
    print(
        functions.markdown(listed) if options.markdown else functions.text(listed), end="" if options.markdown else "\n"
    )
    return 0


def _location(options: argparse.Namespace) -> Location:
    default = Location.in_folder(options.data_dir)
    metadata = options.metadata or default.metadata
    return Location.of(metadata, options.blob) if options.blob else replace(default, metadata=metadata)


def _open(options: argparse.Namespace) -> tuple[Metadata, Blob]:
    location = _location(options)
    return location.open_metadata(read_only=True), location.blob.open()


def _inspect(options: argparse.Namespace) -> int:
    metadata, _ = _open(options)
    if options.collection is None:
        print(store_table(metadata), collections_table(metadata), sep="\n\n")
        return 0
    found = metadata.find([options.collection])
    if not found:
        print(f'error: collection "{options.collection}" does not exist', file=sys.stderr)
        return 1
    (state,) = metadata.load(list(found.values())).values()
    print(*collection_tables(state), sep="\n\n")
    return 0


def _scrub(options: argparse.Namespace) -> int:
    metadata, blob = _open(options)
    shows = sys.stderr.isatty()

    def progress(done: int, total: int) -> None:
        if shows:
            print(f"\r{done} of {total} parts", end="\n" if done == total else "", file=sys.stderr)

    report = scrub(metadata, blob, progress)
    for damage in report.damages:
        print(f"DAMAGED  {damage.where}: {damage.what}")
    if report.unnamed:
        print(f"{len(report.unnamed)} blobs are named by no collection (garbage, or being written)")
    verdict = f"{len(report.damages)} damaged" if report.damages else "all sound"
    print(f"{report.shards} collections, {report.parts} parts, {report.size} bytes verified: {verdict}")
    return 1 if report.damages else 0


def _unlock(options: argparse.Namespace) -> int:
    holder = unlock(_location(options))
    print("the store is not locked" if holder is None else f"released the lock of {holder}")
    return 0
