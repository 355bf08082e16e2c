"""The command line of the fuzzer: `python -m fuzz`, with `tests` on the path.

Run it through `make fuzz`, which CONTRIBUTING.md describes.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from random import SystemRandom

from fuzz import seeds
from fuzz.cases import TARGETS
from fuzz.check import try_case
from fuzz.findings import Finding, load_finding
from fuzz.run import Result, Run
from fuzz.worker import Plan

FINDINGS = seeds.ROOT / "build" / "fuzz"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    add = parser.add_argument
    add("--minutes", type=float, default=1.0, help="how long to run")
    add("--documents", type=int, default=sys.maxsize, help="stop after this many")
    add("--workers", type=int, default=2, help="processes")
    add("--seed", default="", help="repeat the run with this seed")
    add("--target", choices=[*TARGETS, "all"], default="all")
    add("--slow", type=float, default=2.0, help="seconds of processor time for a case")
    add("--memory", type=int, default=256, help="MiB that a case may take")
    add("--keep", type=int, default=5, help="findings to keep of each broken promise")
    add("--replay", nargs="+", type=Path, metavar="FILE", help="try findings again")
    return parser.parse_args()


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a command line


def _replay(paths: list[Path]) -> int:
    """Try saved findings again; return how many are still broken."""
    broken = 0
    for path in paths:
        finding = load_finding(path)
        failure = try_case(finding.case)
        broken += failure is not None
        if failure is None:
            _say(f"{path}: keeps every promise")
        else:
            again = Finding(failure, finding.case, finding.seed, finding.number)
            _say(f"{path}: {again.describe()}")
    return broken


def _report(finding: Finding) -> None:
    path = finding.save(FINDINGS)
    _say(
        f"\n{finding.describe()}\n  replay: make fuzz REPLAY={path.relative_to(seeds.ROOT)}"
    )


def _summarize(result: Result) -> None:
    total = result.total
    _say(
        f"\ntarget     documents  per second of one core   ({result.wall:.0f} s in all)"
    )
    for target in TARGETS:
        if seconds := total.seconds[target]:
            count = total.tried[target]
            _say(f"{target:<10} {count:>9,}  {count / seconds:,.0f}")
    if not total.broken:
        _say("every promise kept")
    for promise, count in total.broken.most_common():
        _say(f"{count:>6,} broke {promise}")


def main() -> int:
    """Run the fuzzer; return the exit status."""
    chosen = _arguments()
    if chosen.replay:
        return 1 if _replay(chosen.replay) else 0
    seed = chosen.seed or str(SystemRandom().randrange(10**9))
    examples = len(seeds.spec_examples())
    note = f"{examples} examples of the specifications" if examples else (
        f"no examples of the specifications: {seeds.ARCHIVES} has no archive"
    )  # fmt: skip
    _say(f"SEED={seed}, {chosen.workers} processes, {note}")
    FINDINGS.mkdir(parents=True, exist_ok=True)
    plan = Plan(
        seed=seed,
        targets=TARGETS if chosen.target == "all" else (chosen.target,),
        documents=chosen.documents,
        deadline=time.monotonic() + 60 * chosen.minutes,
        workers=chosen.workers,
        slow=chosen.slow,
        memory=chosen.memory,
        keep=chosen.keep,
        log=FINDINGS / "stderr.log",
    )
    result = Run(plan, _report).run()
    _summarize(result)
    return 1 if result.total.broken else 0


if __name__ == "__main__":
    sys.exit(main())
