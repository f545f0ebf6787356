"""Who may enter which room of the project: no circles, and lower floors know no higher ones."""

import ast
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
FLOORS = (
    ("engine",),
    ("engine.games",),
    ("engine.players",),
    ("engine.arena",),
    ("engine.learn",),
    ("solver.core",),
    ("solver.complete", "solver.single"),
    ("solver",),
    ("solver.study",),
    ("cli",),
    ("benchmarks",),
)
"""From the ground up; rooms of one floor do not know each other either."""

HEIGHT = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def modules():
    """Every module of the project and the modules that it imports, also within functions."""
    names = {}
    for folder in ("engine", "solver", "cli", "benchmarks"):
        for path in (ROOT / folder).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    found = {}
    for name, path in names.items():
        imports = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                inner = {f"{node.module}.{alias.name}" for alias in node.names} & names.keys()
                imports |= inner or {node.module}
            elif isinstance(node, ast.Import):
                imports |= {alias.name for alias in node.names}
        found[name] = imports & names.keys()
    return found


def room(module):
    """The room in which a module is, and its floor."""
    inside = [name for name in HEIGHT if f"{module}.".startswith(f"{name}.")]
    name = max(inside, key=len)
    return name, HEIGHT[name]


def test_no_circles():
    TopologicalSorter(modules()).prepare()  # raises CycleError


def test_lower_floors_know_no_higher_ones():
    upwards = [
        f"{module} imports {other}"
        for module, others in modules().items()
        for other in others
        if room(other) != room(module) and room(other)[1] >= room(module)[1]
    ]
    assert upwards == []


def test_all_packages_are_installed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for folder in ("engine", "solver", "cli")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert sorted(settings["tool"]["setuptools"]["packages"]) == sorted(folders)


def test_everything_is_compiled_so_that_it_may_lack_a_cache():
    """By `solver.core.jit.njit`, not by that of numba."""
    for folder in ("engine", "solver", "cli", "benchmarks"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module == "numba":
                    assert "njit" not in {alias.name for alias in node.names}, path
