"""Finding Java among programs that only pretend to be one."""

from __future__ import annotations

from pathlib import Path

import pytest

from adaptive.java import JavaMissing, find_java


def fake_java(home: Path, version: str) -> Path:
    """A program that answers as `java -XshowSettings:properties -version` does."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(
        "#!/bin/sh\n"
        f"echo '    java.home = {home}' >&2\n"
        f"echo '    java.specification.version = {version}' >&2\n"
    )
    program.chmod(0o755)
    return home


@pytest.mark.parametrize("version", ["17", "21"])
def test_java_home_comes_first(tmp_path: Path, version: str) -> None:
    home = fake_java(tmp_path / "a", version)
    other = fake_java(tmp_path / "b", "17")
    found = find_java({"JAVA_HOME": str(home), "PATH": str(other / "bin")}, tmp_path / "none")
    assert (found.home, found.version) == (home, int(version))


def test_other_versions_are_passed_over(tmp_path: Path) -> None:
    old = fake_java(tmp_path / "old", "1.8")
    new = fake_java(tmp_path / "new", "25")
    fit = fake_java(tmp_path / "system" / "fit", "21")
    found = find_java({"JAVA_HOME": str(old), "PATH": str(new / "bin")}, tmp_path / "system")
    assert found.home == fit


def test_what_was_seen_and_what_to_do_are_said(tmp_path: Path) -> None:
    old = fake_java(tmp_path / "old", "1.8")
    (tmp_path / "gone").mkdir()
    environment = {"JAVA_HOME": str(tmp_path / "gone"), "PATH": str(old / "bin")}
    with pytest.raises(JavaMissing) as caught:
        find_java(environment, tmp_path / "none")
    for text in ("Java 17 or 21", "gone/bin/java does not run", "is Java 1", "set JAVA_HOME"):
        assert text in str(caught.value)


def test_nothing_at_all(tmp_path: Path) -> None:
    with pytest.raises(JavaMissing, match="none was found"):
        find_java({"PATH": ""}, tmp_path)
