"""Packages that need not be installed to read what those say that use them."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from unittest.mock import MagicMock


class StandIn(MetaPathFinder, Loader):
    """Imports packages that are not installed, with all modules in them, as objects that have every name."""

    def __init__(self, packages: Iterable[str]) -> None:
        self.packages = set(packages)

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Find every module of these packages."""
        return ModuleSpec(fullname, self, is_package=True) if fullname.partition(".")[0] in self.packages else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make a module that has every name."""
        made: ModuleType = MagicMock(__name__=spec.name)
        return made

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing."""
