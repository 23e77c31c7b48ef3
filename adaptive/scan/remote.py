"""Hadoop's settings of remote file systems as pyarrow's arguments.

Spark reaches a file system with what Hadoop's configuration says. pyarrow has file
systems of its own, which take the same things under other names. What has no
counterpart is a reason to leave the files to Spark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Settings = Mapping[str, str]

_S3_PROVIDERS = "fs.s3a.aws.credentials.provider"
_ANONYMOUS = "AnonymousAWSCredentialsProvider"
# Those that find credentials on the machine, as pyarrow's own chain does.
_OF_THE_MACHINE = frozenset(
    {
        "EnvironmentVariableCredentialsProvider",
        "DefaultCredentialsProvider",
        "IAMInstanceCredentialsProvider",
        "InstanceProfileCredentialsProvider",
        "ContainerCredentialsProvider",
        "WebIdentityTokenFileCredentialsProvider",
        "DefaultAWSCredentialsProviderChain",
        "ProfileAWSCredentialsProvider",
    }
)
_AZURE_ENDING = ".dfs.core.windows.net"


class Unreachable(Exception):
    """Why pyarrow cannot read where Spark can."""


@dataclass(frozen=True, slots=True)
class RemoteFiles:
    """The class of a file system, its arguments, and what its paths begin with."""

    kind: str
    arguments: tuple[tuple[str, str | int | bool], ...]
    prefix: str


# What each scheme's settings begin with; only these leave the driver.
PREFIXES = {
    "s3": "fs.s3a.",
    "s3a": "fs.s3a.",
    "hdfs": "hadoop.security.",
    "gs": "fs.gs.",
    "abfs": "fs.azure.",
    "abfss": "fs.azure.",
}


def remote_files(scheme: str, authority: str, settings: Settings) -> RemoteFiles:
    """The file system for addresses `scheme://authority/...`."""
    match scheme:
        case "s3" | "s3a":
            return RemoteFiles("S3FileSystem", _pairs(_s3(authority, settings)), authority)
        case "hdfs":
            return RemoteFiles("HadoopFileSystem", _pairs(_hdfs(authority, settings)), "")
        case "gs":
            return RemoteFiles("GcsFileSystem", _pairs(_gcs(settings)), authority)
        case "abfs" | "abfss":
            container, _, host = authority.partition("@")
            return RemoteFiles("AzureFileSystem", _pairs(_azure(host, settings)), container)
    raise Unreachable(f"pyarrow has no file system for {scheme}:")


def _pairs(arguments: Mapping[str, str | int | bool]) -> tuple[tuple[str, str | int | bool], ...]:
    return tuple(sorted(arguments.items()))


def _s3(bucket: str, settings: Settings) -> dict[str, str | int | bool]:
    def setting(name: str) -> str:
        """A bucket's own settings come before those of all buckets."""
        own = settings.get(f"fs.s3a.bucket.{bucket}.{name}", "")
        return (own or settings.get(f"fs.s3a.{name}", "")).strip()

    encryption = setting("encryption.algorithm") or setting("server-side-encryption-algorithm")
    if encryption.upper() == "SSE-C" or encryption.upper().startswith("CSE"):
        raise Unreachable(f"fs.s3a.encryption.algorithm is {encryption}, which pyarrow cannot read")
    if setting("security.credential.provider.path"):
        raise Unreachable("fs.s3a.security.credential.provider.path: the keys are in a store")
    keys = {
        "access_key": setting("access.key"),
        "secret_key": setting("secret.key"),
        "session_token": setting("session.token"),
    }
    arguments = _s3_credentials(keys, setting("aws.credentials.provider"))
    return arguments | _s3_endpoint(
        setting("endpoint"),
        setting("endpoint.region"),
        setting("connection.ssl.enabled").lower() != "false",
        setting("path.style.access").lower() == "true",
    )


def _s3_credentials(keys: dict[str, str], chain: str) -> dict[str, str | int | bool]:
    """What the first provider of a chain gives that has something to give."""
    has_keys = bool(keys["access_key"] and keys["secret_key"])
    providers = [name.strip().rpartition(".")[2] for name in chain.split(",") if name.strip()]
    for provider in providers or ["SimpleAWSCredentialsProvider", "DefaultCredentialsProvider"]:
        if provider == "TemporaryAWSCredentialsProvider":
            if has_keys and keys["session_token"]:
                return {name: key for name, key in keys.items() if key}
        elif provider == "SimpleAWSCredentialsProvider":
            if has_keys:
                return {name: keys[name] for name in ("access_key", "secret_key")}
        elif provider == _ANONYMOUS:
            return {"anonymous": True}
        elif provider in _OF_THE_MACHINE:
            return {}
        else:
            raise Unreachable(f"{_S3_PROVIDERS} has {provider}, which pyarrow does not know")
    raise Unreachable(f"{_S3_PROVIDERS} has no provider that finds keys")


def _s3_endpoint(
    endpoint: str, region: str, ssl: bool, path_style: bool
) -> dict[str, str | int | bool]:
    arguments: dict[str, str | int | bool] = {}
    if region:
        arguments["region"] = region
    scheme, separator, host = endpoint.rpartition("://")
    if not (separator and scheme == "https") and (scheme == "http" or not ssl):
        arguments["scheme"] = "http"
    if host and not host.rstrip("/").endswith("s3.amazonaws.com"):
        arguments["endpoint_override"] = host.rstrip("/")
        arguments["force_virtual_addressing"] = not path_style
    return arguments


def _hdfs(authority: str, settings: Settings) -> dict[str, str | int | bool]:
    if settings.get("hadoop.security.authentication", "simple").lower() != "simple":
        raise Unreachable("HDFS asks for Kerberos, whose tickets only the JVM has")
    host, _, port = authority.partition(":")
    return {"host": host or "default", "port": int(port) if port else 0 if not host else 8020}


def _gcs(settings: Settings) -> dict[str, str | int | bool]:
    kind = settings.get("fs.gs.auth.type", "").upper()
    if kind == "UNAUTHENTICATED":
        return {"anonymous": True}
    if kind in ("", "APPLICATION_DEFAULT", "COMPUTE_ENGINE"):
        return {}
    raise Unreachable(f"fs.gs.auth.type is {kind}, which pyarrow does not know")


def _azure(host: str, settings: Settings) -> dict[str, str | int | bool]:
    if not host.endswith(_AZURE_ENDING):
        raise Unreachable(f"{host} is not an account at Azure's public cloud")

    def setting(name: str) -> str:
        """An account's own settings come before those of all accounts."""
        return settings.get(f"{name}.{host}", "") or settings.get(name, "")

    account = {"account_name": host.removesuffix(_AZURE_ENDING)}
    kind = setting("fs.azure.account.auth.type") or "SharedKey"
    if kind == "SharedKey" and setting("fs.azure.account.key"):
        return {**account, "account_key": setting("fs.azure.account.key")}
    if kind == "SAS" and setting("fs.azure.sas.fixed.token"):
        return {**account, "sas_token": setting("fs.azure.sas.fixed.token")}
    raise Unreachable(f"no key and no fixed token for {host} (fs.azure.account.key)")
