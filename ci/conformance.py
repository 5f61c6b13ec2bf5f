"""Drives served scenarios with the real clients. Run by ci/conformance, which installs them.

Every check is a function of one running environment; what it asserts is its name. The receipt lists the pinned versions
and, for each scenario, how many tools, calls and checks there were, and every check that failed.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from contextlib import asynccontextmanager
from pathlib import Path

import agent_env.env.gateway
import httpx
import jsonschema
from agent_env.task_step.task_steps.mcp_env_validator.verify_mcp_tool_schema import (
    VerifyMCPToolSchemaTaskStep as SchemaGate,
)
from agentenv_protocol import ToolSession, client
from agentenv_protocol.tool_client import ToolSessionError
from agentenv_protocol.types import DataPart, EnvironmentCard
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import McpError

from conformance_data import DATA_CHECKS, Site

CALLS = 20
SESSIONS = 8
START_SECONDS = 120
PROVENANCE = {"untrusted_content": True, "source": "analysis_target"}


class Environment:
    """One program that serves one capture."""

    def __init__(self, program: str, capture: Path, *flags: str, extra: dict | None = None):
        variables = {k: v for k, v in os.environ.items() if k not in ("ENVIRONMENT_NAME", "REA_LOG_LEVEL")}
        self.process = subprocess.Popen(
            [program, "environment-serve", str(capture), *flags],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**variables, **(extra or {}), "MCP_HOST": "127.0.0.1", "MCP_PORT": "0"},
            text=True,
        )
        self.log: list[str] = []
        self.listening = threading.Event()
        self.mcp_url = ""
        threading.Thread(target=self._read_log, daemon=True).start()
        if not self.listening.wait(START_SECONDS) or not self.mcp_url:
            self.process.kill()
            output, _ = self.process.communicate()
            raise RuntimeError(f"no listening line; output {output!r}; log {self.log}")
        self.base = self.mcp_url.removesuffix("/mcp")
        self.tools: list = []
        self.calls = 0
        self.served = "--replay-only" not in flags

    def _read_log(self) -> None:
        for line in self.process.stderr:
            self.log.append(line)
            if not self.listening.is_set():
                entry = json.loads(line)
                if entry.get("msg") == "MCP transport listening":
                    self.mcp_url = entry["url"]
                    self.listening.set()
        self.listening.set()

    def stop(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, self.process.stdout.read()


@asynccontextmanager
async def mcp_session(url: str):
    async with httpx.AsyncClient(timeout=httpx.Timeout(30, read=300)) as http:
        async with streamable_http_client(url, http_client=http) as (read, write, _):
            async with ClientSession(read, write) as session:
                await session.initialize()
                yield session


def arguments_for(tool) -> dict:
    """Arguments a reader of the catalog would choose: an observed value for each required one."""
    chosen = {}
    for name in tool.inputSchema.get("required", []):
        schema = tool.inputSchema["properties"][name]
        if schema.get("type") != "string":
            chosen[name] = {}
            continue
        observed = re.search(r"observed: (\"(?:[^\"\\]|\\.)*\"|[^,]+)", schema["description"])
        value = observed.group(1).strip() if observed else "1"
        chosen[name] = json.loads(value) if value.startswith('"') else value
    return chosen


def check_answer(result, what: str) -> dict:
    """A tool result that answers: the same value as text and as structure, labelled as target content."""
    assert not result.isError, f"{what}: {result.content[0].text[:300]}"
    value = json.loads(result.content[0].text)
    assert value == result.structuredContent, f"{what}: text and structure differ"
    for member in ("status", "content_type", "body", "replay"):
        assert member in value, f"{what}: no {member}"
    assert result.meta["provenance"] == PROVENANCE, f"{what}: {result.meta}"
    return value


def check_refusal(result, what: str) -> None:
    assert result.isError, f"{what} was accepted"
    value = json.loads(result.content[0].text)
    assert value["code"] == "invalid_arguments" and value["applied"] == "no" and not value["retryable"], value
    assert result.meta["provenance"] == PROVENANCE, f"{what}: {result.meta}"


async def card_is_what_the_framework_reads(env: Environment) -> None:
    card = await client.get_card(env.base)
    assert await client.supports_v1(env.base)
    model = EnvironmentCard.model_validate(card)
    assert list(card) == [
        "name", "protocolVersion", "url", "preferredTransport", "additionalInterfaces", "capabilities",
        "children_environments",
    ], list(card)
    assert model.name and model.protocolVersion == "1.0" and model.url == "/agentenv"
    assert client.mcp_path(card) == "/mcp"
    assert model.capabilities.operations == [] and model.capabilities.extensions is None
    assert card["children_environments"] is None
    assert client.intake_declaration(card) is None


async def tools_list_is_the_card_in_one_page(env: Environment) -> None:
    card = await client.get_card(env.base)
    async with mcp_session(env.mcp_url) as session:
        listed = await session.list_tools()
    assert listed.nextCursor is None and listed.tools
    env.tools = listed.tools
    shown = [{"name": t.name, "description": t.description, "inputSchema": t.inputSchema} for t in listed.tools]
    assert shown == card["capabilities"]["tools"]
    names = [tool.name for tool in listed.tools]
    assert len(set(names)) == len(names) and all(re.fullmatch(r"[a-z0-9_]{1,64}", name) for name in names), names
    async with ToolSession(mcp_url=env.mcp_url) as session:
        assert [tool.name for tool in await session.list_tools()] == names
    for tool in listed.tools:
        assert tool.annotations is not None and tool.annotations.openWorldHint is False
        assert client.find_tool(card, tool.name) is not None


async def tool_schema_gate_passes(env: Environment) -> None:
    verdict = SchemaGate.validate_tool_descriptions(env.tools)
    assert verdict["passed"], (verdict["tools_missing_description"], verdict["parameter_issues"])
    for tool in env.tools:
        jsonschema.Draft202012Validator.check_schema(tool.inputSchema)
        assert tool.inputSchema["additionalProperties"] is False
        for name in tool.inputSchema.get("properties", {}):
            assert not name.startswith("_") and name != "model_config" and len(name) <= 64, f"a gateway loses {name}"


async def twenty_calls_are_answered(env: Environment) -> None:
    async with mcp_session(env.mcp_url) as session, ToolSession(mcp_url=env.mcp_url, role="agent") as plain:
        for index in range(CALLS):
            tool = env.tools[index % len(env.tools)]
            arguments = arguments_for(tool)
            value = check_answer(await session.call_tool(tool.name, arguments), f"{tool.name} {arguments}")
            if tool.inputSchema.get("required"):
                assert value["replay"]["exact_match"], f"{tool.name} {arguments}: an observed value did not match"
            same = await plain.call_tool(tool.name, arguments)
            assert not same.isError and json.loads(same.text) == value
            env.calls += 2


async def bad_arguments_are_tool_errors(env: Environment) -> None:
    tool = next((tool for tool in env.tools if tool.inputSchema.get("required")), env.tools[0])
    good = arguments_for(tool)
    async with mcp_session(env.mcp_url) as session:
        check_refusal(await session.call_tool(tool.name, {**good, "misspelled_argument": "x"}), "an unknown argument")
        for name in tool.inputSchema.get("required", []):
            if tool.inputSchema["properties"][name].get("type") == "string":
                missing = {other: value for other, value in good.items() if other != name}
                check_refusal(await session.call_tool(tool.name, missing), f"a call without {name}")
                check_refusal(await session.call_tool(tool.name, {**good, name: 5}), f"a number as {name}")
        check_answer(await session.call_tool(tool.name, good), "the same session afterwards")


async def unknown_names_are_errors_and_the_session_lives(env: Environment) -> None:
    async with mcp_session(env.mcp_url) as session:
        try:
            await session.call_tool("no_such_tool", {})
            raise AssertionError("an unknown tool was called")
        except McpError as error:
            assert error.error.code == -32602, error.error
        try:
            await session.list_resources()
            raise AssertionError("resources were listed")
        except McpError as error:
            assert error.error.code == -32601, error.error
        await session.send_ping()
        tool = env.tools[0]
        check_answer(await session.call_tool(tool.name, arguments_for(tool)), "after the errors")


async def an_unknown_session_is_404(env: Environment) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    async with httpx.AsyncClient() as http:
        for verb in ("POST", "GET", "DELETE"):
            answer = await http.request(verb, env.mcp_url, json=ping, headers={"Mcp-Session-Id": "0" * 32})
            assert answer.status_code == 404, (verb, answer.status_code)
    session = ToolSession(mcp_url=env.mcp_url)
    await session.open()
    async with httpx.AsyncClient() as http:
        gone = await http.delete(env.mcp_url, headers={"Mcp-Session-Id": session.session_id})
        assert gone.status_code in (200, 204)
    try:
        await session.list_tools()
        raise AssertionError("an ended session was served")
    except ToolSessionError as error:
        assert "no longer knows" in str(error), error
    await session.close()


async def sessions_share_the_environment_at_once(env: Environment) -> None:
    async def one(index: int) -> None:
        async with mcp_session(env.mcp_url) as session:
            for step in range(5):
                tool = env.tools[(index + step) % len(env.tools)]
                check_answer(await session.call_tool(tool.name, arguments_for(tool)), f"session {index}: {tool.name}")
                env.calls += 1

    async def plain(index: int) -> None:
        async with ToolSession(mcp_url=env.mcp_url) as session:
            tool = env.tools[index % len(env.tools)]
            assert not (await session.call_tool(tool.name, arguments_for(tool))).isError
            env.calls += 1

    await asyncio.gather(*(one(index) for index in range(SESSIONS)), *(plain(index) for index in range(SESSIONS)))


async def the_data_plane_says_what_it_lacks(env: Environment) -> None:
    operations = {
        "data/reset": lambda: client.reset_data(env.base),
        "data/add": lambda: client.add_data(env.base, [DataPart(data={})]),
        "data/get": lambda: client.get_data(env.base),
    }
    for method, run in operations.items():
        try:
            await run()
            raise AssertionError(f"{method} was served")
        except RuntimeError as error:
            assert "-32601" in str(error) and str(error).count(method) == 2, error
    async with httpx.AsyncClient() as http:
        big = await http.post(f"{env.base}/agentenv", content=b"x" * (5 * 1024 * 1024))
        assert big.status_code == 413 and big.json()["error"]["code"] == -32000
        assert (await http.post(f"{env.base}/agentenv", content=b"{")).status_code == 400
        probe = {"jsonrpc": "2.0", "id": "verify-data/add", "method": "data/add", "params": {"parts": []}}
        reply = (await http.post(f"{env.base}/agentenv", json=probe)).json()
        assert reply["id"] == "verify-data/add" and reply["error"]["code"] == -32601


async def probers_are_answered_at_once(env: Environment) -> None:
    async with httpx.AsyncClient(timeout=2) as http:
        assert (await http.get(f"{env.base}/ready")).status_code == 200
        assert (await http.get(env.mcp_url)).status_code == 405
        assert (await http.get(f"{env.base}/openapi.yaml")).status_code == 404
        refused = await http.get(f"{env.base}/ready", headers={"Host": "rebound.test"})
        assert refused.status_code == 403


CHECKS = [
    card_is_what_the_framework_reads,
    tools_list_is_the_card_in_one_page,
    tool_schema_gate_passes,
    twenty_calls_are_answered,
    bad_arguments_are_tool_errors,
    unknown_names_are_errors_and_the_session_lives,
    an_unknown_session_is_404,
    sessions_share_the_environment_at_once,
    the_data_plane_says_what_it_lacks,
    probers_are_answered_at_once,
]

STATE_CHECKS = [tools_list_is_the_card_in_one_page, tool_schema_gate_passes]


async def answers(url: str) -> bool:
    async with httpx.AsyncClient(timeout=5) as http:
        try:
            return (await http.get(url)).status_code == 200
        except httpx.TransportError:
            return False


async def the_gateway_serves_it(env: Environment, folder: Path, further=None) -> None:
    """The framework's own gateway, as a process of this machine, in front of the environment; `further` is asked with the
    address under which it passes the data plane on."""
    package = folder / "gateway"
    if not package.is_dir():
        shutil.copytree(Path(agent_env.env.gateway.__file__).parent, package)
    name = (await client.get_card(env.base))["name"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    variables = {k: v for k, v in os.environ.items() if k != "SERVICE_DB_URL"}
    log = (folder / "gateway.log").open("w")
    process = subprocess.Popen(
        [sys.executable, "-m", "gateway.entrypoint"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env={
            **variables,
            "PYTHONPATH": str(folder),
            "MCP_HOST": "127.0.0.1",
            "MCP_PORT": str(port),
            "MCP_SERVER_NAME": "env1234",
            "INTERNAL_MCP_SERVERS": f"{name}={env.mcp_url}",
            "REST_PROXY_URLS": f"mcp-{name}={env.base}",
            "GATEWAY_TRAJECTORY_FILE": str(folder / "trajectory.jsonl"),
        },
    )
    try:
        base = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + 60
        while not await answers(f"{base}/.well-known/agent-env.json"):
            assert process.poll() is None and time.monotonic() < deadline, "the gateway did not start"
            await asyncio.sleep(0.5)
        card = await client.get_card(base)
        EnvironmentCard.model_validate(card)
        child = client.find_child(card, name)
        assert child is not None, f"the gateway's card does not hold {name}"
        assert child["url"] == f"/svc/mcp-{name}/agentenv", child["url"]
        async with mcp_session(f"{base}/mcp") as session:
            served = {tool.name: tool for tool in (await session.list_tools()).tools}
            for tool in env.tools:
                assert served[tool.name].inputSchema == tool.inputSchema, tool.name
                assert served[tool.name].description == tool.description, tool.name
            # A write that was not recorded with these arguments may be refused, and changes what is read when it is not.
            callable_tools = [tool for tool in env.tools if not env.served or tool.annotations.readOnlyHint]
            for tool in callable_tools[:CALLS]:
                arguments = arguments_for(tool)
                check_answer(await session.call_tool(tool.name, arguments), f"through the gateway: {tool.name}")
                env.calls += 1
        if further is not None:
            await further(f"{base}/svc/mcp-{name}")
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
        log.close()


def stops_in_order(env: Environment) -> None:
    status, output = env.stop()
    assert status == 143, f"exit status {status}"
    assert output.count("\n") == 1, output
    document = json.loads(output)
    assert document["status"] == "stopped", document
    if env.served:
        assert document["state"]["served"] and document["state"]["evidence_id"].startswith("ev_"), document
    else:
        assert document["state"] == {"served": False, "reason": "replay-only"}, document


def drive(program: str, capture: Path, gateway: Path | None, site: Site) -> dict:
    """Replay, then the state with its data plane."""
    started = time.monotonic()
    outcome = {"scenario": capture.parent.name, "tools": 0, "calls": 0, "checks": 0, "failed": []}
    replay = lambda: Environment(program, capture, "--replay-only")
    checks = [(check.__name__, lambda env, check=check: check(env)) for check in CHECKS]
    drive_one(outcome, replay, checks, gateway, None)
    state = lambda: Environment(program, capture, extra={"SSL_CERT_FILE": str(site.certificate)})
    checks = [(f"state: {check.__name__}", lambda env, check=check: check(env)) for check in STATE_CHECKS]
    checks += [
        (f"state: {check.__name__}", lambda env, check=check: check(env, env.base, site)) for check in DATA_CHECKS
    ]

    async def through(env: Environment, base: str) -> None:
        for check in DATA_CHECKS:
            await check(env, base, site)

    drive_one(outcome, state, checks, gateway, through)
    outcome["seconds"] = round(time.monotonic() - started, 1)
    return outcome


def drive_one(outcome: dict, start, checks: list, gateway: Path | None, further) -> None:

    def run(name: str, check) -> None:
        outcome["checks"] += 1
        try:
            check()
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            outcome["failed"].append({"check": name, "error": "".join(traceback.format_exception(error))[-3000:]})

    try:
        env = start()
    except Exception as error:
        outcome["failed"].append({"check": "starts", "error": str(error)})
        return
    try:
        for name, check in checks:
            run(name, lambda: asyncio.run(check(env)))
        if gateway is not None:
            more = None if further is None else lambda base: further(env, base)
            run("the_gateway_serves_it", lambda: asyncio.run(the_gateway_serves_it(env, gateway, more)))
    finally:
        run("stops_in_order", lambda: stops_in_order(env))
    outcome["tools"] = max(outcome["tools"], len(env.tools))
    outcome["calls"] += env.calls


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--scenarios", required=True, type=Path)
    parser.add_argument("--receipt", required=True, type=Path)
    parser.add_argument("--gateway", action="append", default=[])
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    captures = sorted(options.scenarios.glob("*/capture.har"))
    if options.names:
        captures = [capture for capture in captures if capture.parent.name in options.names]
    if not captures:
        print(f"no scenario in {options.scenarios}", file=sys.stderr)
        return 1
    behind = options.gateway or [captures[0].parent.name, captures[-1].parent.name]
    folder = options.receipt.parent / "gateway"
    folder.mkdir(parents=True, exist_ok=True)
    seeds = options.receipt.parent / "seeds"
    seeds.mkdir(parents=True, exist_ok=True)
    site = Site(seeds.resolve())
    outcomes = []
    for capture in captures:
        through = folder if "all" in behind or capture.parent.name in behind else None
        outcome = drive(options.program, capture, through, site)
        outcome["gateway"] = through is not None
        outcomes.append(outcome)
        state = "FAILED" if outcome["failed"] else "passed"
        print(f"{state} {outcome['scenario']}: {outcome['tools']} tools, {outcome['calls']} calls", file=sys.stderr)
        for failure in outcome["failed"]:
            print(f"  {failure['check']}: {failure['error']}", file=sys.stderr)
    pins = ("agentenv-framework", "agentenv-framework-protocol", "mcp", "httpx", "pydantic")
    failed = sum(bool(outcome["failed"]) for outcome in outcomes)
    receipt = {
        "lane": "conformance",
        "status": "failed" if failed else "passed",
        "python": sys.version.split()[0],
        "versions": {name: importlib.metadata.version(name) for name in pins},
        "scenarios": outcomes,
    }
    line = json.dumps(receipt, separators=(",", ":"))
    options.receipt.write_text(line + "\n")
    print(line)
    print(f"{len(outcomes) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
