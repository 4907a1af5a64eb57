"""Changes one operator or number of the engine at a time and says which changes no test notices.

    python tests/mutate.py RESULTS [PATH...]    try what has not been tried; prints what survives
    python tests/mutate.py RESULTS --quick      the same with an eighth of the random examples, and
                                                no test begun after three seconds of the processor
    python tests/mutate.py RESULTS --again      try once more what survived
    python tests/mutate.py RESULTS --score      the score, and survivors that nothing explains
    python tests/mutate.py RESULTS --lines      the lines that no test executes

RESULTS: a file of JSON lines. A run can be stopped at any moment and goes on where it was; the
order is drawn from a fixed seed, so whatever has been tried is a sample of the whole. Beside it
stands what each test executes, learnt once. PATH: modules or folders of the engine, the whole
without any; tests that have to notice, tests/engine and the examples in docstrings without any.

Nothing is written into the checkout. A change in a function replaces the code of the function in a
fork of a process that has collected the tests; then only those tests run that execute its line,
until one fails. Any other change (a default, a constant) is imported anew. Not for Windows.
"""

import gc
import hashlib
import json
import math
import os
import random
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, FunctionType

import hypothesis
import numpy  # noqa: F401 - loaded once, not in every trial
import pytest
from _pytest.runner import runtestprotocol
from mutations import (
    ENGINE,
    ROOT,
    Change,
    changes,
    codes,
    executable,
    explained,
    modules,
    mutant,
    source,
)

TESTS = ["tests/engine", ENGINE]  # the examples in the docstrings are tests too
IMPORT = "import"  # in place of a test: what importing and collecting executes
MEMORY_BYTES = 4 << 30
QUICK_S = 3.0
ENDED = "ended"  # in place of the test that noticed: endless, out of memory, no import
Items = dict[str, pytest.Item]
Lines = dict[str, list[int]]  # by module


def in_fork(work: Callable[[], object]) -> object:
    """What a function returns in a process of its own; None when that process ends otherwise."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.close(reading)
            answer = json.dumps(work())
            with os.fdopen(writing, "w") as pipe:
                pipe.write(answer)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else None


class InsteadOfTests:
    """Has pytest collect the tests and then do something else with them."""

    def __init__(self, work: Callable[[Items], None]) -> None:
        self.work = work

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.work({item.nodeid: item for item in session.items})
        return True

    def collect(self) -> None:
        plain = ["-q", "-s", "-p", "no:cacheprovider", "--assert=plain", "--tb=native"]
        pytest.main([*plain, *TESTS], plugins=[self])


def quicken(items: Items) -> None:
    """An eighth of the examples of every test that draws them."""
    for item in items.values():
        test = getattr(item, "obj", None)
        if (usual := getattr(test, "_hypothesis_internal_use_settings", None)) is not None:
            few = hypothesis.settings(usual, max_examples=usual.max_examples // 8 + 1)
            test._hypothesis_internal_use_settings = few


def passes(item: pytest.Item) -> bool:
    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


class Tracer:
    """The lines of the engine that are executed from now on."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, int]] = set()
        sys.settrace(self)

    def __call__(self, frame: FrameType, *_: object) -> "Tracer | None":
        if ENGINE not in frame.f_code.co_filename:
            return None
        self.seen.add((frame.f_code.co_filename, frame.f_lineno))
        return self

    def stop(self) -> Lines:
        sys.settrace(None)
        found = defaultdict(list)
        for path, line in sorted(self.seen):
            found[str(Path(path).relative_to(ROOT))].append(line)
        return found


def learn(path: Path, items: Items, at_import: Lines) -> dict[str, dict]:
    """The lines and the seconds of each test, kept in a file until the engine changes."""
    engine = hashlib.sha256("".join(map(source, modules())).encode()).hexdigest()
    known = json.loads(path.read_text()) if path.exists() else {}
    old = known["tests"] if known.get("engine") == engine else {}

    def traced(item: pytest.Item) -> dict:
        start, tracer = time.process_time(), Tracer()
        passed, lines = passes(item), tracer.stop()
        return {"passes": passed, "seconds": time.process_time() - start, "lines": lines}

    tests = {IMPORT: {"passes": True, "seconds": 0, "lines": at_import}}
    for name, item in items.items():
        tests[name] = old.get(name) or in_fork(lambda item=item: traced(item))
    path.write_text(json.dumps({"engine": engine, "tests": tests}))
    return tests


def replace(code: CodeType, live: list[FunctionType]) -> None:
    """Gives the functions of a module that has been imported the code of a mutant."""
    new = {(part.co_qualname, part.co_firstlineno): part for part in codes(code)}
    for function in live:
        old = function.__code__
        if old.co_filename == code.co_filename:
            function.__code__ = new[old.co_qualname, old.co_firstlineno]


def import_anew(code: CodeType, module: str) -> None:
    """Forgets what has been imported; from now on a module is imported as a mutant."""
    usual = SourceFileLoader.get_code
    name = module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    SourceFileLoader.get_code = lambda self, asked: code if asked == name else usual(self, asked)
    for loaded in list(sys.modules.values()):
        path = getattr(loaded, "__file__", None) or ""
        if path.startswith((f"{ROOT}/ourmodels_gui/", f"{ROOT}/tests/")):
            sys.modules.pop(loaded.__name__, None)


def first_failure(items: Items, order: list[tuple[str, float]], most_s: float) -> str:
    """The first test that fails, or ""; a test that takes far too long ends the process."""
    import resource  # noqa: PLC0415 - Windows has none

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    start = time.process_time()
    for name, seconds in order:
        if time.process_time() - start > most_s:
            break
        signal.setitimer(signal.ITIMER_PROF, 2 + 3 * seconds)
        if not passes(items[name]):
            return name
    signal.setitimer(signal.ITIMER_PROF, 0)
    return ""


class Results:
    """What has been tried, in a file of JSON lines; the last line on a change counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.by = {tuple(line["key"]): line["by"] for line in map(json.loads, lines)}

    def add(self, key: tuple[str, str, str, int], by: str, seconds: float) -> None:
        """`by`: the test that noticed, "" when none did. seconds: of the processor."""
        self.by[key] = by
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "by": by, "seconds": seconds}) + "\n")


def attempt(
    todo: list[Change], results: Results, items: Items, tests: dict[str, dict], most_s: float
) -> None:
    """Tries changes one after the other; prints those that survive."""
    for name, test in tests.items():
        if not test["passes"]:
            print(f"fails without any change, left out: {name}", file=sys.stderr)
    usable = {name: test for name, test in tests.items() if name != IMPORT and test["passes"]}
    noticed = defaultdict(Counter)  # by module: what noticed one change notices others
    for (module, *_), by in results.by.items():
        noticed[module][by] += 1
    live = [
        found for found in gc.get_objects()
        if isinstance(found, FunctionType) and ENGINE in found.__code__.co_filename
    ]  # fmt: skip
    gc.freeze()

    def order(change: Change) -> list[tuple[str, float]]:
        """Those that execute the line, the cheapest for what it is likely to tell first."""
        here = {name: test["lines"].get(change.module, []) for name, test in usable.items()}
        names = [name for name in here if change.line in here[name]]
        if not change.in_function:
            names = [name for name in here if here[name]] or list(here)
        seen = noticed[change.module]
        names.sort(key=lambda name: (usable[name]["seconds"] + 0.01) / (1 + seen[name]))
        return [(name, usable[name]["seconds"]) for name in names]

    def trial(change: Change) -> str:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        code, tests_of_it, by = mutant(change), order(change), ""
        if change.in_function:
            replace(code, live)
            by = first_failure(items, tests_of_it, most_s)
        if not by and change.line in tests[IMPORT]["lines"].get(change.module, []):
            import_anew(code, change.module)
            answers: list[str] = []
            InsteadOfTests(
                lambda new: answers.append(first_failure(new, tests_of_it, most_s))
            ).collect()
            by = answers[0]
        return by

    for change in todo:
        start = os.times()
        by = in_fork(lambda change=change: trial(change))
        by = ENDED if by is None else str(by)
        noticed[change.module][by] += 1
        spent = os.times().children_user - start.children_user
        results.add(change.key, by, round(spent, 2))
        if not by:
            print(change, flush=True)


def print_lines(tests: dict[str, dict]) -> None:
    total = missing = 0
    for module in modules():
        lines = executable(module)
        unseen = lines.difference(*(test["lines"].get(module, ()) for test in tests.values()))
        total, missing = total + len(lines), missing + len(unseen)
        if unseen:
            print(f"{module}: {', '.join(map(str, sorted(unseen)))}")
    print(f"{total - missing} of {total} lines are executed by a test")


def print_score(every: list[Change], results: Results) -> None:
    tried = Counter(change.module for change in every if change.key in results.by)
    survived = [change for change in every if results.by.get(change.key) == ""]
    lost, known = Counter(change.module for change in survived), explained()
    print(*(change for change in survived if change.key[:3] not in known), sep="\n")
    for module in tried:
        print(f"{tried[module] - lost[module]:5} of {tried[module]:5}  {module}")
    total = tried.total()
    print(f"{total - len(survived)} of {total} tried were noticed; there are {len(every)}")


def main(path: Path, options: list[str]) -> None:
    results = Results(path)
    paths = [option for option in options if not option.startswith("--")]
    within = tuple(path for path in paths if not path.startswith("tests/")) or (ENGINE,)
    TESTS[:] = [path for path in paths if path.startswith("tests/")] or TESTS
    every = [c for module in modules() if module.startswith(within) for c in changes(module)]
    if "--score" in options:
        print_score(every, results)
        return
    quick = "--quick" in options
    wanted = "" if "--again" in options else None
    todo = [change for change in every if results.by.get(change.key) == wanted]
    random.Random(1).shuffle(todo)

    def work(items: Items) -> None:
        at_import = tracer.stop()
        if quick:
            quicken(items)
        tests = learn(path.with_suffix(".quick" if quick else ".learnt"), items, at_import)
        if "--lines" in options:
            print_lines(tests)
        else:
            attempt(todo, results, items, tests, QUICK_S if quick else math.inf)

    os.environ.pop("CI", None)  # its profile would replace this one: no shrinking, no deadline
    hypothesis.settings.register_profile(
        "mutate", phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
        deadline=None, database=None, derandomize=True,
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    hypothesis.settings.load_profile("mutate")
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    tracer = Tracer()
    InsteadOfTests(work).collect()


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), sys.argv[2:])
