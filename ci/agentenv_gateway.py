"""The framework's real gateway as a process before the environment of every scenario's bundle. Run by ci/agentenv-gateway.

The bundle's own verifiers run against the gateway, as they do in a task; then the data plane is driven through its proxy.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import agent_env.env.gateway
import bundles
import httpx
from agent_env.task_step.task_steps.verifiers.scoring import ScoreAggregator, aggregate_score
from agentenv_protocol import client
from agentenv_protocol.types import DataPart, EnvironmentCard

READY_SECONDS = 120


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


async def ready(url: str, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + READY_SECONDS
    async with httpx.AsyncClient() as http:
        while True:
            assert process.poll() is None, f"the process behind {url} ended with {process.returncode}"
            assert time.monotonic() < deadline, f"{url} is not ready"
            try:
                if (await http.get(url, timeout=5)).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.2)


def verifier(path: Path):
    spec = importlib.util.spec_from_file_location("bundle_verifier", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.verify


async def checked(path: Path, mcp_url: str) -> list[str]:
    """Runs a verifier as the framework does; what did not pass."""
    results = await verifier(path)(mcp_url)
    score = aggregate_score(results, ScoreAggregator.ALL_PASS)
    return [] if score == 1 else [f"{path.parent.name} scored {score}: {results}"]


async def through_the_gateway(directory: Path, name: str, base: str) -> tuple[list[str], dict]:
    card = await client.get_card(base)
    EnvironmentCard.model_validate(card)
    child = client.find_child(card, name)
    assert child is not None, f"the gateway's card does not hold {name}"
    failed = await checked(directory / "artifacts" / f"check_{name}" / "verify.py", f"{base}/mcp")
    facts = {"tools": len(child["capabilities"]["tools"]), "operations": child["capabilities"]["operations"]}
    if "data/get" in facts["operations"]:
        plane = base + child["url"].removesuffix("/agentenv")
        state = json.loads((directory / "artifacts" / f"state_{name}" / "state.json").read_text())
        await client.reset_data(plane)
        await client.add_data(plane, [DataPart(data=state)])
        failed += await checked(directory / "artifacts" / f"check_state_{name}" / "verify.py", f"{base}/mcp")
    else:
        failed.append(f"a state is served and the card offers {facts['operations']}")
    return failed, facts


def drive(program: str, capture: Path, work: Path) -> dict:
    name = capture.parent.name
    started = time.monotonic()
    outcome = {"scenario": name, "failed": []}
    directory = work / name
    port, gateway_port = free_port(), free_port()
    log = (work / f"{name}.log").open("w")
    processes = []

    def start(command: list[str], more: dict) -> subprocess.Popen:
        variables = {k: v for k, v in os.environ.items() if k not in ("SERVICE_DB_URL", "REA_LOG_LEVEL")}
        process = subprocess.Popen(
            command, cwd=work, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**variables, **more}
        )
        processes.append(process)
        return process

    async def driven() -> None:
        server = start(
            [program, *bundles.served_from(directory)],
            {"MCP_HOST": "127.0.0.1", "MCP_PORT": str(port), "ENVIRONMENT_NAME": name},
        )
        await ready(f"http://127.0.0.1:{port}/ready", server)
        base = f"http://127.0.0.1:{gateway_port}"
        gateway = start(
            [sys.executable, "-m", "gateway.entrypoint"],
            {
                "PYTHONPATH": str(work),
                "MCP_HOST": "127.0.0.1",
                "MCP_PORT": str(gateway_port),
                "MCP_SERVER_NAME": "env1234",
                "INTERNAL_MCP_SERVERS": f"{name}=http://127.0.0.1:{port}/mcp",
                "REST_PROXY_URLS": f"mcp-{name}=http://127.0.0.1:{port}",
                "GATEWAY_TRAJECTORY_FILE": str(work / f"{name}.jsonl"),
            },
        )
        await ready(f"{base}/.well-known/agent-env.json", gateway)
        failed, facts = await through_the_gateway(directory, name, base)
        outcome["failed"] += failed
        outcome.update(facts)

    try:
        bundles.build(program, capture, directory, "--package-registry", "--with-state")
        asyncio.run(driven())
    except Exception as error:
        outcome["failed"].append(f"{type(error).__name__}: {str(error)[-2000:]}")
    finally:
        for process in reversed(processes):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        log.close()
    if outcome["failed"]:
        outcome["log"] = (work / f"{name}.log").read_text()[-1500:]
    outcome["seconds"] = round(time.monotonic() - started, 1)
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--scenarios", required=True, type=Path)
    parser.add_argument("--receipt", required=True, type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="rea-gateway-"))
    shutil.copytree(Path(agent_env.env.gateway.__file__).parent, work / "gateway")
    outcomes = []
    try:
        for capture in bundles.scenarios(options.scenarios, options.names):
            outcome = drive(options.program, capture, work)
            outcomes.append(outcome)
            state = "FAILED" if outcome["failed"] else "passed"
            print(f"{state} {outcome['scenario']}", file=sys.stderr)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return bundles.receipt(options.receipt, "agentenv-gateway", outcomes)


if __name__ == "__main__":
    sys.exit(main())
