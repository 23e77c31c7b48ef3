"""Addresses and remote file systems: Hadoop's settings in, pyarrow's arguments out."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ir
from adaptive.scan import ParquetScan, Piece, Storage
from adaptive.scan.remote import Unreachable, remote_files
from adaptive.scan.storage import LOCAL, parts
from ir import Field, Schema

KEYS = {"fs.s3a.access.key": "A", "fs.s3a.secret.key": "S"}
CHAIN = "fs.s3a.aws.credentials.provider"
# What Hadoop has there by itself.
DEFAULT_CHAIN = (
    "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider,"
    "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider,"
    "software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider,"
    "org.apache.hadoop.fs.s3a.auth.IAMInstanceCredentialsProvider"
)
PLAIN = {"access_key": "A", "secret_key": "S"}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, {}),
        (KEYS, PLAIN),
        ({CHAIN: DEFAULT_CHAIN}, {}),
        ({CHAIN: DEFAULT_CHAIN} | KEYS, PLAIN),
        (
            {CHAIN: DEFAULT_CHAIN, "fs.s3a.session.token": "T"} | KEYS,
            {"session_token": "T"} | PLAIN,
        ),
        (
            {CHAIN: " org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider "},
            {"anonymous": True},
        ),
        (KEYS | {"fs.s3a.bucket.b.access.key": "own"}, PLAIN | {"access_key": "own"}),
        (KEYS | {"fs.s3a.bucket.other.access.key": "own"}, PLAIN),
        (
            {
                "fs.s3a.endpoint": "http://127.0.0.1:9000/",
                "fs.s3a.endpoint.region": "eu-central-1",
                "fs.s3a.path.style.access": "true",
            },
            {
                "region": "eu-central-1",
                "scheme": "http",
                "endpoint_override": "127.0.0.1:9000",
                "force_virtual_addressing": False,
            },
        ),
        (
            {"fs.s3a.endpoint": "minio.example", "fs.s3a.connection.ssl.enabled": "false"},
            {
                "scheme": "http",
                "endpoint_override": "minio.example",
                "force_virtual_addressing": True,
            },
        ),
        ({"fs.s3a.endpoint": "s3.amazonaws.com"}, {}),
    ],
)
def test_s3(settings: dict[str, str], expected: dict[str, object]) -> None:
    remote = remote_files("s3a", "b", settings)
    assert (remote.kind, remote.prefix) == ("S3FileSystem", "b")
    assert dict(remote.arguments) == expected


@pytest.mark.parametrize(
    ("address", "kind", "prefix", "settings", "expected"),
    [
        ("hdfs://name:9000/x", "HadoopFileSystem", "", {}, {"host": "name", "port": 9000}),
        ("hdfs:///x", "HadoopFileSystem", "", {}, {"host": "default", "port": 0}),
        ("gs://b/x", "GcsFileSystem", "b", {}, {}),
        (
            "gs://b/x",
            "GcsFileSystem",
            "b",
            {"fs.gs.auth.type": "UNAUTHENTICATED"},
            {"anonymous": True},
        ),
        (
            "abfss://c@acc.dfs.core.windows.net/x",
            "AzureFileSystem",
            "c",
            {"fs.azure.account.key.acc.dfs.core.windows.net": "K"},
            {"account_name": "acc", "account_key": "K"},
        ),
        (
            "abfs://c@acc.dfs.core.windows.net/x",
            "AzureFileSystem",
            "c",
            {"fs.azure.account.auth.type": "SAS", "fs.azure.sas.fixed.token": "T"},
            {"account_name": "acc", "sas_token": "T"},
        ),
    ],
)
def test_other_file_systems(
    address: str, kind: str, prefix: str, settings: dict[str, str], expected: dict[str, object]
) -> None:
    scheme, authority, path = parts(address)
    assert path == "/x"
    remote = remote_files(scheme, authority, settings)
    assert (remote.kind, remote.prefix, dict(remote.arguments)) == (kind, prefix, expected)


@pytest.mark.parametrize(
    ("address", "settings", "reason"),
    [
        ("webhdfs://a/x", {}, "no file system for webhdfs:"),
        ("s3a://b/x", {CHAIN: "com.example.Vault"}, "Vault"),
        ("s3a://b/x", {CHAIN: "a.SimpleAWSCredentialsProvider"}, "no provider that finds keys"),
        ("s3a://b/x", {"fs.s3a.encryption.algorithm": "SSE-C"}, "SSE-C"),
        ("s3a://b/x", {"fs.s3a.security.credential.provider.path": "jceks://x"}, "in a store"),
        ("hdfs://n/x", {"hadoop.security.authentication": "kerberos"}, "Kerberos"),
        ("gs://b/x", {"fs.gs.auth.type": "USER_CREDENTIALS"}, "USER_CREDENTIALS"),
        ("abfss://c@a.dfs.core.windows.net/x", {}, "no key"),
    ],
)
def test_reasons(address: str, settings: dict[str, str], reason: str) -> None:
    with pytest.raises(Unreachable, match=reason):
        Storage(tuple(settings.items())).check(address)


def test_hdfs_without_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARROW_LIBHDFS_DIR", "/nowhere")
    monkeypatch.setenv("HADOOP_HOME", "/nowhere")
    with pytest.raises(Unreachable, match=r"does not start: Unable to load lib(jvm|hdfs)"):
        LOCAL.check("hdfs://127.0.0.1:1/x")


def test_secrets_are_not_shown() -> None:
    assert "secret" not in repr(Storage((("fs.s3a.secret.key", "secret"),)))


def test_addresses() -> None:
    assert parts("/a b") == ("file", "", "/a b")
    assert parts("file:/a%20b") == ("file", "", "/a%20b")
    assert parts("file:///a") == ("file", "", "/a")
    assert parts("s3a://bucket/a b/c") == ("s3a", "bucket", "/a b/c")


class _Bucket(BaseHTTPRequestHandler):
    """As much of S3 as reading takes."""

    objects: ClassVar[dict[str, bytes]] = {}

    def do_HEAD(self) -> None:
        self._send(body=False)

    def do_GET(self) -> None:
        self._send(body=True)

    def _send(self, body: bool) -> None:
        there = self.objects.get(self.path)
        if there is None:
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        wanted = self.headers.get("Range", "")
        low, _, high = wanted.removeprefix("bytes=").partition("-")
        part = there[int(low or 0) : int(high) + 1 if high else None]
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(part)))
        self.send_header("Last-Modified", formatdate(usegmt=True))
        self.end_headers()
        if body:
            self.wfile.write(part)

    def log_message(self, *_: object) -> None:
        """Silent."""


@pytest.fixture
def bucket() -> Iterator[Storage]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Bucket)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    settings = KEYS | {
        "fs.s3a.endpoint": f"http://127.0.0.1:{server.server_port}",
        "fs.s3a.endpoint.region": "us-east-1",
        "fs.s3a.path.style.access": "true",
    }
    yield Storage(tuple(settings.items()))
    server.shutdown()
    server.server_close()


def test_parquet_from_s3(bucket: Storage) -> None:
    """Read through the protocol of S3, from a server in this process."""
    file = io.BytesIO()
    pq.write_table(pa.table({"x": range(100), "k": ["a", "b"] * 50}), file, row_group_size=10)
    _Bucket.objects = {"/b/day%3D1/f.parquet": file.getvalue()}
    scan = ParquetScan(Schema((Field("x", ir.INT64),)), storage=bucket)
    batches = list(scan.read(Piece("s3a://b/day=1/f.parquet")))
    assert [x for batch in batches for x in batch.column("x").to_pylist()] == list(range(100))
    with pytest.raises(FileNotFoundError):
        list(scan.read(Piece("s3a://b/day=1/missing.parquet")))
