"""Every test in this folder needs Java."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    folder = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(folder):
            item.add_marker(pytest.mark.spark)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder for the files that a query reads."""
    folder = tmp_path / "data"
    folder.mkdir()
    return folder
