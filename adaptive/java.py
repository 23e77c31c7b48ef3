"""Finding a Java that Spark 4 is tested with, or the command that installs one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

VERSIONS = (17, 21)
SYSTEM_HOMES = Path("/usr/lib/jvm")
# Starting a JVM takes a fraction of a second; one that hangs is not usable.
_TIMEOUT_S = 30
_INSTALLERS = {
    "apt-get": "sudo apt-get update; sudo apt-get install -y openjdk-17-jre-headless"
    " || sudo apt-get install -y openjdk-21-jre-headless",
    "dnf": "sudo dnf install -y java-21-openjdk-headless",
    "brew": "brew install openjdk@17",
}


@dataclass(frozen=True, slots=True)
class Java:
    """A Java installation."""

    home: Path
    version: int


class JavaMissing(RuntimeError):
    """No Java of the right version; the text says what was seen and how to get one."""


def find_java(
    environment: Mapping[str, str] | None = None, system_homes: Path = SYSTEM_HOMES
) -> Java:
    """The first suitable Java of JAVA_HOME, the PATH and the system's folder."""
    seen: list[str] = []
    for program in _candidates(os.environ if environment is None else environment, system_homes):
        java = _ask(program)
        if java is None:
            seen.append(f"{program} does not run")
        elif java.version in VERSIONS:
            return java
        else:
            seen.append(f"{program} is Java {java.version}")
    found = f" ({'; '.join(dict.fromkeys(seen))})" if seen else ""
    raise JavaMissing(f"Spark needs Java 17 or 21, and none was found{found}. {_advice()}")


def install_command() -> str | None:
    """The command that installs a suitable Java on this system, if its installer is known."""
    for installer, command in _INSTALLERS.items():
        if shutil.which(installer):
            return command
    return None


def _advice() -> str:
    command = install_command()
    install = f"Run: {command}" if command else "Install one"
    return f"{install}; or set JAVA_HOME to one that is installed."


def _candidates(environment: Mapping[str, str], system_homes: Path) -> Iterator[Path]:
    home = environment.get("JAVA_HOME")
    if home:
        yield Path(home, "bin", "java")
    on_path = shutil.which("java", path=environment.get("PATH"))
    if on_path:
        yield Path(on_path)
    yield from sorted(system_homes.glob("*/bin/java"))


def _ask(program: Path) -> Java | None:
    """Java's own answer, which sees through symbolic links and shims."""
    command = [str(program), "-XshowSettings:properties", "-version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = done.stderr + done.stdout
    version, home = _property(text, "java.specification.version"), _property(text, "java.home")
    if done.returncode or version is None or home is None:
        return None
    return Java(Path(home), int(float(version)))


def _property(text: str, name: str) -> str | None:
    found = re.search(rf"^ *{re.escape(name)} = (.*)$", text, re.MULTILINE)
    return found.group(1).strip() if found else None
