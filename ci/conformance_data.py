"""Checks of the data plane with the framework's own client: the four forms in which a state comes, reading it, resetting it.

Each check gets an environment that serves from a state, and the address it is asked at: the server's own, or the one under
which the gateway passes calls on.
"""

from __future__ import annotations

import base64
import copy
import datetime
import ipaddress
import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
from agentenv_protocol import client, intake_fit_check
from agentenv_protocol.types import DataPart, EnvironmentCard, FilePart
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

METHODS = ["data/reset", "data/add", "data/get"]


class Site:
    """An HTTPS server of this machine that serves the files of a folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
        now = datetime.datetime.now(datetime.timezone.utc)
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .sign(key, hashes.SHA256())
        )
        self.certificate = folder / "site.pem"
        self.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        secret = folder / "site.key"
        plain = serialization.NoEncryption()
        secret.write_bytes(
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, secret)
        site = self

        class Files(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = site.folder / self.path.lstrip("/")
                body = path.read_bytes() if path.suffix == ".json" and path.is_file() else None
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Files)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.base = f"https://localhost:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()


async def state(base: str) -> dict:
    parts = (await client.get_data(base)).parts
    assert len(parts) == 1 and parts[0].kind == "data", parts
    return parts[0].data


async def refused(work, what: str) -> str:
    try:
        await work
    except RuntimeError as error:
        return str(error)
    raise AssertionError(f"{what} was accepted")


async def the_card_declares_the_data_plane(env, base: str, site: Site) -> None:
    card = await client.get_card(env.base)
    assert EnvironmentCard.model_validate(card).capabilities.operations == METHODS
    declared = client.intake_declaration(card)
    assert [entry["part"] for entry in declared["add"]] == ["data", "file"], declared
    assert intake_fit_check(declared, await state(base), content_format="rea-state/v1") == []


async def a_state_comes_in_four_forms(env, base: str, site: Site) -> None:
    start = await state(base)
    (site.folder / "state.json").write_text(json.dumps(start))
    emptied = copy.deepcopy(start)
    emptied["rea_state"]["entities"] = []
    forms = {
        "data": DataPart(data=start),
        "bytes": FilePart(file={"bytes": base64.b64encode(json.dumps(start).encode()).decode()}),
        "file": FilePart(
            file={"uri": f"file://{site.folder}/state.json", "mimeType": "application/json", "name": "state.json"}
        ),
        "https": FilePart(file={"uri": f"{site.base}/state.json"}),
    }
    for form, part in forms.items():
        await client.add_data(base, [DataPart(data=emptied)])
        assert (await state(base))["rea_state"]["entities"] == [], "the document without entities did not load"
        await client.add_data(base, [part])
        assert await state(base) == start, f"{form}: what was loaded is not what is read"


async def a_reset_brings_the_start_back(env, base: str, site: Site) -> None:
    start = await state(base)
    edited = copy.deepcopy(start)
    edited["rea_state"]["entities"] = edited["rea_state"]["entities"][1:]
    edited["rea_state"]["documents"] = []
    await client.add_data(base, [DataPart(data=edited)])
    read = await state(base)
    assert read["rea_state"]["entities"] == edited["rea_state"]["entities"] and not read["rea_state"]["documents"]
    await client.reset_data(base)
    assert await state(base) == start


async def a_load_exports_and_reloads_unchanged(env, base: str, site: Site) -> None:
    start = await state(base)
    edited = copy.deepcopy(start)
    for entity in edited["rea_state"]["entities"][:2]:
        entity["fields"]["__proto__"] = {"exact": 123456789012345678901234567890}
        entity.pop("record_ordinals")
    await client.add_data(base, [DataPart(data=edited)])
    exported = await state(base)
    for entity, sent in zip(exported["rea_state"]["entities"], edited["rea_state"]["entities"]):
        assert entity["fields"] == sent["fields"]
    assert all(entity["record_ordinals"] == [] for entity in exported["rea_state"]["entities"][:2])
    await client.add_data(base, [DataPart(data=exported)])
    assert await state(base) == exported
    await client.reset_data(base)
    assert await state(base) == start


async def a_probe_with_no_part_is_invalid_and_changes_nothing(env, base: str, site: Site) -> None:
    start = await state(base)
    probe = {"jsonrpc": "2.0", "id": "verify-data/add", "method": "data/add", "params": {"parts": []}}
    async with httpx.AsyncClient() as http:
        reply = (await http.post(f"{base}/agentenv", json=probe)).json()
        assert reply["id"] == "verify-data/add" and reply["error"]["code"] == -32602, reply
        read = {"jsonrpc": "2.0", "id": "verify-data/get", "method": "data/get", "params": {}}
        assert "result" in (await http.post(f"{base}/agentenv", json=read)).json()
    assert await state(base) == start


async def what_does_not_load_is_named_and_changes_nothing(env, base: str, site: Site) -> None:
    start = await state(base)
    wrong = copy.deepcopy(start)
    wrong["rea_state"]["entities"][0]["collection"] = "/secret"
    error = await refused(client.add_data(base, [DataPart(data=wrong)]), "another collection")
    assert "/rea_state/entities/0/collection" in error and "secret" not in error, error
    for uri, reason in {
        f"file://{site.folder}/secret.json": "not-found",
        f"file://{site.folder}": "not-regular-file",
        f"{site.base}/secret.json": "http-status",
    }.items():
        error = await refused(client.add_data(base, [FilePart(file={"uri": uri})]), uri)
        assert reason in error and "secret" not in error, error
    assert await state(base) == start


DATA_CHECKS = [
    the_card_declares_the_data_plane,
    a_state_comes_in_four_forms,
    a_reset_brings_the_start_back,
    a_load_exports_and_reloads_unchanged,
    a_probe_with_no_part_is_invalid_and_changes_nothing,
    what_does_not_load_is_named_and_changes_nothing,
]
