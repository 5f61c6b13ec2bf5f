"""Builds the bundle of every scenario and reads it with the framework's own code. Run by ci/conformance."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import tomllib
import traceback
from pathlib import Path

import bundles


def problems_of(directory: Path, report: dict) -> list[str]:
    """What is wrong with a bundle beyond what the framework says."""
    found = []
    name = report["name"]
    written = {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}
    if written != {file["path"] for file in report["files"]}:
        found.append("the report names other files than were written")
    settings = tomllib.loads((directory / "envs" / name / "env.toml").read_text())
    if settings["environment_name"] != name:
        found.append(f"env.toml names {settings['environment_name']}")
    for verifier in directory.glob("artifacts/*/verify.py"):
        compile(verifier.read_text(), str(verifier), "exec")
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--scenarios", required=True, type=Path)
    parser.add_argument("--receipt", required=True, type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="rea-bundles-"))
    outcomes = []
    try:
        for capture in bundles.scenarios(options.scenarios, options.names):
            for provider in ("gateway", "server"):
                name = capture.parent.name
                outcome = {"scenario": name, "provider": provider, "files": 0, "failed": []}
                directory = work / f"{name}-{provider}"
                try:
                    report = bundles.build(
                        options.program, capture, directory, "--package-registry", "--env-provider", provider,
                        *(["--with-state"] if provider == "server" else []),
                    )
                    bundles.check(directory)
                    outcome["files"] = len(report["files"])
                    outcome["failed"] = problems_of(directory, report)
                except Exception as error:
                    outcome["failed"] = [*getattr(error, "problems", []), "".join(traceback.format_exception(error))[-2000:]]
                outcomes.append(outcome)
                shutil.rmtree(directory, ignore_errors=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return bundles.receipt(options.receipt, "conformance-bundles", outcomes)


if __name__ == "__main__":
    sys.exit(main())
