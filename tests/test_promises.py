"""Each promise in docs/promises.md names tests, and they are there."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
PROMISES = (TESTS.parent / "docs" / "promises.md").read_text(encoding="utf-8").split("\n- ")[1:]


def names_in(file):
    """The functions at the top of a file."""
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_each_promise_names_tests_that_are_there():
    assert len(PROMISES) > 10
    for promise in PROMISES:
        named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", promise)
        assert named, promise
        assert promise.count("::") == len(named), promise
        assert [f"{file}::{name}" for file, name in named if name not in names_in(file)] == []
