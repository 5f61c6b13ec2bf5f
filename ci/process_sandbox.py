"""A sandbox of the agentenv framework that runs an environment as a process of this machine.

The framework finds it through `.agentenv/config.toml`; `command` is the program that serves the environment. It stands for
the container: the framework deploys it, probes it, seeds it and tears it down as it does with a container.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import uuid
from pathlib import Path

from agent_env.config import get_config
from agent_env.providers.sandbox_providers.sandbox import Sandbox
from agent_env.providers.sandbox_providers.sandbox_provider import Accepts, SandboxNotFoundError, SandboxProvider

# Processes by sandbox id: a teardown knows only the id.
RUNNING: dict[str, subprocess.Popen] = {}


class ProcessSandbox(Sandbox):
    type = "process"
    mode = "container"
    vnc_url = None

    def __init__(self, sandbox_id: str, port: int, address: int):
        self.sandbox_id = sandbox_id
        self.tunnel_urls = {port: f"http://127.0.0.1:{address}"}

    async def terminate(self) -> None:
        process = RUNNING.pop(self.sandbox_id, None)
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            status = process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        ended = os.environ.get("REA_LANE_ENDED")
        if ended:
            with open(ended, "a") as file:
                file.write(f"{status}\n")

    async def write_file_from_object(self, object_url: str, destination_path: str) -> None:
        Path(destination_path).parent.mkdir(parents=True, exist_ok=True)
        get_config().get_object_store_at(object_url).download_to_file(object_url, destination_path)
        Path(destination_path).chmod(0o644)


class ProcessProvider(SandboxProvider):
    CONTAINER_ACCEPTS = SANDBOX_ACCEPTS = Accepts.NAME_OR_CONTEXT

    def __init__(self, command: list[str]):
        self.command = command

    async def create_sandbox(self, *, image_name: str, port: int, env: dict[str, str], **_) -> Sandbox:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = free.getsockname()[1]
        sandbox_id = uuid.uuid4().hex
        log = open(os.environ.get("REA_LANE_LOG", os.devnull), "a")
        RUNNING[sandbox_id] = subprocess.Popen(
            self.command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, **env, "MCP_HOST": "127.0.0.1", "MCP_PORT": str(address)},
        )
        return ProcessSandbox(sandbox_id, port, address)

    async def create_container(self, *, private_network: bool = False, **arguments) -> Sandbox:
        return await self.create_sandbox(**arguments)

    async def get_sandbox(self, sandbox_id: str) -> Sandbox:
        if sandbox_id not in RUNNING:
            raise SandboxNotFoundError(sandbox_id)
        return ProcessSandbox(sandbox_id, 0, 0)
