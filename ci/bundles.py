"""What the bundle lanes share: building bundles with the program, receipts, and the framework's own checks of a bundle."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

PINS = ("agentenv-framework", "agentenv-framework-protocol", "mcp", "httpx", "pydantic")


def scenarios(folder: Path, names: list[str]) -> list[Path]:
    """The captures of the named scenarios, or of all."""
    captures = sorted(folder.glob("*/capture.har"))
    chosen = [capture for capture in captures if not names or capture.parent.name in names]
    missing = set(names) - {capture.parent.name for capture in chosen}
    if missing or not chosen:
        raise SystemExit(f"no such scenario: {', '.join(sorted(missing)) or folder}")
    return chosen


def build(program: str, capture: Path, directory: Path, *more: str) -> dict:
    """Builds a bundle called like the capture's scenario; the report, or what went wrong as an exception."""
    variables = {name: value for name, value in os.environ.items() if name not in ("ENVIRONMENT_NAME", "REA_LOG_LEVEL")}
    ended = subprocess.run(
        [program, "environment-build", str(capture), str(directory), "--name", capture.parent.name, *more],
        capture_output=True, text=True, env=variables,
    )
    report = json.loads(ended.stdout)
    if ended.returncode != 0 or report.get("status") != "built":
        raise AssertionError(f"the build ended with {ended.returncode}: {ended.stdout[:2000]} {ended.stderr[:2000]}")
    return report


def served_from(directory: Path) -> list[str]:
    """The arguments that serve a bundle's environment, as its image does."""
    (environment,) = (directory / "envs").iterdir()
    return ["environment-serve", str(environment / "manifest.json"), "--evidence", str(environment / "evidence.json")]


def check(directory: Path) -> dict:
    """The framework's own reading of a bundle; raises its problems."""
    from agent_env.bundle.installed import installed_bundles
    from agent_env.bundle.parse import parse_bundle
    from agent_env.bundle.plan import check_bundle
    from agent_env.bundle.resolve import resolve_bundle

    bundle = parse_bundle(directory)
    check_bundle(resolve_bundle(bundle), installed=installed_bundles)
    return {"entries": len(bundle.entries) if hasattr(bundle, "entries") else None}


def versions() -> dict:
    return {name: importlib.metadata.version(name) for name in PINS}


def receipt(path: Path, lane: str, outcomes: list[dict], **more) -> int:
    """Writes and prints the receipt, and what failed; the exit status."""
    failed = [outcome for outcome in outcomes if outcome.get("failed")]
    document = {
        "lane": lane,
        "status": "failed" if failed else "passed",
        "python": sys.version.split()[0],
        "versions": versions(),
        **more,
        "scenarios": outcomes,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps(document, separators=(",", ":"))
    path.write_text(line + "\n")
    for outcome in failed:
        print(f"FAILED {outcome['scenario']}: {outcome['failed']}", file=sys.stderr)
    print(line)
    return 1 if failed else 0
