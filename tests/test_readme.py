"""The README's examples do what it says."""

import doctest
import re
from pathlib import Path

from command import challenge

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language):
    """The blocks of code in a language, "" for those that name none."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    return [text for name, text in found if name == language]


def test_python():
    (text,) = blocks("python")
    test = doctest.DocTestParser().get_doctest(text, {}, "README.md", "README.md", 0)
    assert len(test.examples) > 5
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert results.failed == 0


def test_the_first_answer():
    """The picture under the command that asks for it."""
    (picture,) = [block for block in blocks("") if block.startswith("$ challenge solve KQJ.JT9\n")]
    assert challenge("solve", "KQJ.JT9")[1] == picture.split("\n", 1)[1]
