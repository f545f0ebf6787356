"""What holds of the project as a whole: what is packaged, and which rooms know which."""

import ast
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
FLOORS = [
    {"engine"},
    {"engine.games"},
    {"engine.players"},
    {"engine.arena"},
    {"engine.learn"},
    {"solver.core"},
    {"solver.complete", "solver.single"},
    {"solver"},
    {"solver.study"},
    {"cli"},
    {"benchmarks"},
]
"""Packages from the ground up: each imports itself and what lies below, never a neighbour."""
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for top in ("engine", "solver", "cli", "benchmarks")
    for path in (ROOT / top).rglob("*.py")
}


def imports(module):
    """The modules of the project that a module imports, in functions as well."""
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in MODULES else node.module for name in inside]
        else:
            continue
        yield from (name for name in names if name in MODULES)


def room(module):
    """The package that a module belongs to."""
    return module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]


def test_imports_point_down():
    found = {(room(module), room(other)) for module in MODULES for other in imports(module)}
    assert [(a, b) for a, b in sorted(found) if a != b and FLOOR[a] <= FLOOR[b]] == []


def test_no_module_imports_itself_by_way_of_others():
    TopologicalSorter({module: set(imports(module)) for module in MODULES}).prepare()


def test_all_packages_are_installed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = settings["tool"]["setuptools"]["packages"]
    folders = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for top in ("engine", "solver", "cli")
        for path in (ROOT / top).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert sorted(packages) == sorted(folders)
