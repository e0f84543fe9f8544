from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from holdfast.errors import UsageError
from holdfast.persist.blob import BlobLocation

SECRETS = {"access_key_id": "AKIAEXAMPLE", "secret_access_key": "not-to-be-shown", "token": "nor-this"}


def test_a_path_names_the_same_folder_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert BlobLocation("data/blobs").url == f"file://{tmp_path}/data/blobs"
    assert BlobLocation("data/blobs") == BlobLocation(f"file://{tmp_path}/data/blobs")
    assert BlobLocation("data/../blobs/") == BlobLocation("blobs")


def test_a_file_url_is_not_percent_encoded(tmp_path: Path) -> None:
    location = BlobLocation(f"file://{tmp_path}/a b%20c#d?e")
    blob = location.open()
    assert (tmp_path / "a b%20c#d?e").is_dir()
    assert blob.url == location.url == f"file://{tmp_path}/a b%20c#d?e"
    assert blob.spark_url("p1") == f"file://{tmp_path}/a b%20c#d?e/p1"


def test_an_s3_url_has_a_bucket_and_perhaps_a_prefix() -> None:
    assert BlobLocation("s3://bucket/").url == "s3://bucket"
    assert BlobLocation("s3://bucket/a/b/").open().url == "s3://bucket/a/b"
    assert BlobLocation("s3://bucket").open().spark_url("p1") == "s3a://bucket/p1"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "file:relative",
        "file://host/path",
        "s3:",
        "s3://",
        "s3://B",
        "s3:///prefix",
        "s3://bucket//a",
        "s3://bucket/a/../b",
        "s3://bucket/..",
        "s3://bucket/a?region=x",
        "s3a://bucket/a",
        "http://bucket/a",
        "memory:x",
    ],
)
def test_another_url_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="blob store url"):
        BlobLocation(url)


@pytest.mark.parametrize("url", ["s3://AKIAEXAMPLE:not-to-be-shown@bucket/a", "https://u:not-to-be-shown@host/"])
def test_a_url_with_a_password_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        BlobLocation(url)
    assert "not-to-be-shown" not in str(caught.value)


@pytest.mark.parametrize("url", ["memory:", "/data/blobs"])
def test_options_are_for_s3(url: str) -> None:
    with pytest.raises(UsageError, match="takes no options, got region"):
        BlobLocation(url, {"region": "x"})


def test_secrets_travel_and_are_not_shown() -> None:
    location = BlobLocation("s3://bucket/a", SECRETS)
    assert pickle.loads(pickle.dumps(location)).options == SECRETS
    shown = f"{location} {location!r} {location.open()!r} {location.open()}"
    assert not [secret for secret in SECRETS.values() if secret in shown]


def test_locations_with_other_options_differ() -> None:
    assert BlobLocation("s3://bucket/a", SECRETS) != BlobLocation("s3://bucket/a")
