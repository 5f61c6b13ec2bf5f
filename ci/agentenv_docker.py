"""Real runs of bundles by the framework on the local engine: in server mode and behind its gateway. Run by ci/agentenv-docker.

Reads what the lane measured before on standard input, runs, and writes one receipt of both. The outcome of each task is
checked, not the exit status: that is 0 for a verifier that failed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bundles

TASKS = ("smoke", "state")
# Started by older releases of the framework when something is pushed; reported and tolerated.
REGISTRY_HELPER = "agentenv-registry"


def run_one(directory: Path) -> int:
    """In a process of its own: runs the tasks on Docker and prints their outcomes."""
    from agent_env.bundle.run import run_bundle

    def outcome(run) -> dict:
        return {
            "outcome": run.outcome.value,
            "scores": run.scores if isinstance(run.scores, dict) else str(run.scores),
            "error": str(run.error) if run.error else None,
            "failures": [f"{step.get('step_id')}: {step.get('error')}" for step in run.failed_steps],
            "seconds": round(run.duration, 2),
        }

    # One at a time: both deploy the same environment.
    found = {}
    for task in TASKS:
        result = run_bundle(directory, tasks=[task], sandbox="local")
        found |= {result.path(run.entry): outcome(run) for run in result.runs}
    print("OUTCOMES " + json.dumps(found))
    return 0


def listed(*arguments: str) -> set[str]:
    ended = subprocess.run(["docker", *arguments], capture_output=True, text=True, check=True)
    return set(ended.stdout.split())


def drive(program: str, capture: Path, provider: str, work: Path) -> dict:
    started = time.monotonic()
    name = capture.parent.name
    outcome = {"scenario": name, "provider": provider, "tasks": {}, "failed": []}
    home = work / f"{name}-{provider}"
    home.mkdir()
    directory = home / "bundle"
    before = listed("ps", "-aq"), listed("images", "-q", "--filter", "label=dev.agentenv.sources")
    try:
        bundles.build(program, capture, directory, "--env-provider", provider, "--with-state")
        variables = {
            **os.environ, "XDG_STATE_HOME": str(home / "state"), "AGENT_ENV_LOCAL_SANDBOX_DIR": str(home / "sandboxes")
        }
        command = [sys.executable, __file__, "--run", str(directory)]
        ended = subprocess.run(command, cwd=home, env=variables, capture_output=True, text=True, timeout=1200)
        said = ended.stdout + ended.stderr
        line = next((line for line in said.splitlines() if line.startswith("OUTCOMES ")), None)
        if line is None:
            raise AssertionError(f"no outcomes: {said[-2500:]}")
        outcome["tasks"] = json.loads(line.removeprefix("OUTCOMES "))
        outcome["failed"] += [
            f"{task}: {run['outcome']} {run['error'] or ''} {run['failures']} {run['scores']}"
            for task, run in outcome["tasks"].items()
            if run["outcome"] != "passed"
        ]
        if len(outcome["tasks"]) != len(TASKS):
            outcome["failed"].append(f"{len(outcome['tasks'])} tasks ran, not {len(TASKS)}")
        names = listed("ps", "-a", "--format", "{{.Names}}")
        outcome["registry_helper"] = REGISTRY_HELPER in names
        left = listed("ps", "-aq") - before[0]
        if len(left) > outcome["registry_helper"]:
            outcome["failed"].append(f"containers are left: {sorted(names)}")
    except Exception as error:
        outcome["failed"].append(f"{type(error).__name__}: {str(error)[-2500:]}")
    # The image that the run built is the lane's.
    for image in listed("images", "-q", "--filter", "label=dev.agentenv.sources") - before[1]:
        subprocess.run(["docker", "rmi", "--force", image], capture_output=True)
    outcome["seconds"] = round(time.monotonic() - started, 1)
    return outcome


def main() -> int:
    if sys.argv[1:2] == ["--run"]:
        return run_one(Path(sys.argv[2]))
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--scenarios", required=True, type=Path)
    parser.add_argument("--receipt", required=True, type=Path)
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    measured = json.load(sys.stdin)
    work = Path(tempfile.mkdtemp(prefix="rea-docker-"))
    outcomes = []
    try:
        for capture in bundles.scenarios(options.scenarios, options.names):
            for provider in ("server", "gateway"):
                outcome = drive(options.program, capture, provider, work)
                outcomes.append(outcome)
                state = "FAILED" if outcome["failed"] else "passed"
                print(f"{state} {outcome['scenario']} ({provider}): {', '.join(outcome['tasks'])}", file=sys.stderr)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    status = bundles.receipt(options.receipt, "agentenv-docker", outcomes, **measured)
    return status


if __name__ == "__main__":
    sys.exit(main())
