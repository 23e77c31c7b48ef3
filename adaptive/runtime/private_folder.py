"""Folders for files that a process trusts, because nobody else can write there."""

from __future__ import annotations

import os
import stat
from pathlib import Path


class FolderRefused(OSError):
    """Others could have put files into a folder, so nothing in it is used."""


def make_private(folder: Path) -> None:
    """Create a folder of the user's own, or check that it is one."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        check_private(folder)


def check_private(folder: Path) -> None:
    """Refuse a folder of another user, or one that others may write to."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise FolderRefused(f"{folder} is not a folder; remove it or choose another one")
    if found.st_uid != os.geteuid():
        raise FolderRefused(
            f"{folder} belongs to user {found.st_uid}, this process to {os.geteuid()};"
            " choose another folder with KODIAK_CACHE_DIR"
        )
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise FolderRefused(f"others may write to {folder}; remove it and its files")
