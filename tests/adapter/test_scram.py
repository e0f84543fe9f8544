from __future__ import annotations

from base64 import b64decode, b64encode

import psycopg
import psycopg.sql
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapter.scram import mac, matches, parse_verifier, prepared, verifier_of

FEW = 2
"""Rounds enough for a test."""


def test_the_keys_are_those_of_the_example_in_rfc_7677() -> None:
    verifier = verifier_of("pencil", salt=b64decode("W22ZaJ0SNY7soEsUEjb6gQ=="))
    said = (
        "n=user,r=rOprNGfwEbeRWgbNEkqO,"
        "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,"
        "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
    )
    assert b64encode(mac(verifier.server_key, said.encode())) == b"6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="


@pytest.mark.parametrize(
    "password", ["secret", "pass word", "naïve ﬁ ½", "пароль", "a\u00a0b", "soft\u00adhyphen", "\u0627\u0031"]
)
def test_a_verifier_of_postgres_knows_the_password_again(postgres: str, password: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS scram_tested")
        connection.execute(psycopg.sql.SQL("CREATE ROLE scram_tested PASSWORD {}").format(password))
        (text,) = (
            connection.execute("SELECT rolpassword FROM pg_authid WHERE rolname = 'scram_tested'").fetchone() or ()
        )
        connection.execute("DROP ROLE scram_tested")
    verifier = parse_verifier(text)
    assert verifier is not None
    assert str(verifier) == text
    assert matches(verifier, password)
    assert not matches(verifier, password + "x")


@settings(max_examples=50)
@given(st.text(), st.text())
def test_only_the_password_matches_its_verifier(password: str, other: str) -> None:
    verifier = parse_verifier(str(verifier_of(password, iterations=FEW)))
    assert verifier is not None
    assert matches(verifier, password)
    assert matches(verifier, other) == (prepared(other) == prepared(password))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "password",
        "SCRAM-SHA-256$0:AAAA$AAAA:AAAA",
        "SCRAM-SHA-256$4096:AAAA$AAAA:AAAA",
        "SCRAM-SHA-256$4096:A$B:C",
        "SCRAM-SHA-256$x:AAAA$AAAA:AAAA",
    ],
)
def test_what_is_no_verifier_is_a_password(text: str) -> None:
    assert parse_verifier(text) is None


def test_a_verifier_shows_no_keys() -> None:
    verifier = verifier_of("secret", iterations=FEW)
    assert "key" not in repr(verifier)
