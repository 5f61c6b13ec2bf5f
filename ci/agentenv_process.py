"""A real run of every scenario's bundle by the framework, with the environment as a process. Run by ci/agentenv-process.

The outcome of each task is checked, not the exit status: that is 0 for a verifier that failed.
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


def run_one(directory: Path, tasks: list[str]) -> int:
    """In a process of its own, with the config of this bundle: runs the tasks and prints their outcomes."""
    from agent_env.bundle.run import run_bundle

    def outcome(run) -> dict:
        failures = [f"{step.get('step_id')}: {step.get('error')}" for step in run.failed_steps]
        return {
            "outcome": run.outcome.value,
            "scores": run.scores if isinstance(run.scores, dict) else str(run.scores),
            "error": str(run.error) if run.error else None,
            "failures": failures,
            "seconds": round(run.duration, 2),
        }

    result = run_bundle(directory, tasks=tasks, sandbox="process")
    print("OUTCOMES " + json.dumps({result.path(run.entry): outcome(run) for run in result.runs}))
    return 0


def data_folder_is_usable() -> bool:
    """Whether seed files can be put where the framework says they are."""
    data = Path("/data")
    return os.access(data, os.W_OK) if data.exists() else os.access("/", os.W_OK)


def drive(program: str, capture: Path, work: Path, with_cli: bool) -> dict:
    name = capture.parent.name
    started = time.monotonic()
    outcome = {"scenario": name, "tasks": {}, "cli": None, "failed": []}
    home = work / name
    home.mkdir()
    directory = home / "bundle"
    seeded = Path(f"/data/state.json")
    made_data = not Path("/data").exists()
    tasks = list(TASKS) if data_folder_is_usable() and not seeded.exists() else ["smoke"]
    try:
        bundles.build(program, capture, directory, "--package-registry", "--env-provider", "server", "--with-state")
        command = [program, *bundles.served_from(directory)]
        config = home / ".agentenv" / "config.toml"
        config.parent.mkdir()
        config.write_text(
            '[sandbox.providers.process]\nimpl = "process_sandbox:ProcessProvider"\n'
            f"[sandbox.providers.process.config]\ncommand = {json.dumps(command)}\n"
        )
        variables = {
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parent),
            "AGENT_ENV_CONFIG": str(config),
            "XDG_STATE_HOME": str(home / "state"),
            "REA_LANE_LOG": str(home / "server.log"),
            "REA_LANE_ENDED": str(home / "ended"),
        }
        runs = [[sys.executable, __file__, "--run", str(directory), *tasks]]
        if with_cli:
            agent_env = str(Path(sys.executable).parent / "agent-env")
            runs.append([agent_env, "run", str(directory), "--task", "smoke", "--sandbox", "process"])
        for command in runs:
            ended = subprocess.run(command, cwd=home, env=variables, capture_output=True, text=True, timeout=600)
            said = ended.stdout + ended.stderr
            line = next((line for line in said.splitlines() if line.startswith("OUTCOMES ")), None)
            if command is runs[0]:
                if line is None:
                    raise AssertionError(f"no outcomes: {said[-2000:]}")
                outcome["tasks"] = json.loads(line.removeprefix("OUTCOMES "))
                if len(outcome["tasks"]) != len(tasks):
                    outcome["failed"].append(f"{len(outcome['tasks'])} tasks ran, not {len(tasks)}")
                outcome["failed"] += [
                    f"{task}: {run['outcome']} {run['error'] or ''} {run['failures']} {run['scores']}"
                    for task, run in outcome["tasks"].items()
                    if run["outcome"] != "passed"
                ]
            else:
                outcome["cli"] = ended.returncode
                if ended.returncode != 0 or "passed" not in said:
                    outcome["failed"].append(f"agent-env run: {said[-2000:]}")
        statuses = (home / "ended").read_text().split()
        if set(statuses) != {"143"}:
            outcome["failed"].append(f"servers ended with {statuses}, not 143")
    except Exception as error:
        outcome["failed"].append(str(error)[-3000:])
    finally:
        seeded.unlink(missing_ok=True)
        if made_data and Path("/data").exists() and not any(Path("/data").iterdir()):
            Path("/data").rmdir()
    if outcome["failed"] and (home / "server.log").exists():
        outcome["server_log"] = (home / "server.log").read_text()[-1000:]
    outcome["seconds"] = round(time.monotonic() - started, 1)
    return outcome


def main() -> int:
    if sys.argv[1:2] == ["--run"]:
        return run_one(Path(sys.argv[2]), sys.argv[3:])
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--scenarios", required=True, type=Path)
    parser.add_argument("--receipt", required=True, type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="rea-process-"))
    outcomes = []
    try:
        for index, capture in enumerate(bundles.scenarios(options.scenarios, options.names)):
            outcome = drive(options.program, capture, work, with_cli=index == 0)
            outcomes.append(outcome)
            state = "FAILED" if outcome["failed"] else "passed"
            print(f"{state} {outcome['scenario']}: {', '.join(outcome['tasks'])}", file=sys.stderr)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return bundles.receipt(options.receipt, "agentenv-process", outcomes, state_task=data_folder_is_usable())


if __name__ == "__main__":
    sys.exit(main())
