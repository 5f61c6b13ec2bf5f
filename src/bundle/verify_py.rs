//! `verify.py`: the framework calls its `verify` with the address of the served environment (`agentenv.md` 4.4).

use super::smoke::SmokeCall;

/// The verifier of an environment that serves `tools` tools.
pub(super) fn verify_py(tools: usize, call: Option<&SmokeCall>) -> String {
    let (name, status) = match call {
        // Tool names are snake case: no escaping.
        Some(call) => {
            (format!("\"{}\"", call.tool), call.status.map_or("None".to_owned(), |status| status.to_string()))
        }
        None => ("None".to_owned(), "None".to_owned()),
    };
    format!("{HEAD}TOOL_COUNT = {tools}\nTOOL = {name}\nSTATUS = {status}\n\n{BODY}")
}

const HEAD: &str = r#""""Checks that the environment serves: how many tools it lists, and one call."""

import json

import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

"#;

const BODY: &str = r#"
async def listed(session):
    names, cursor = [], None
    while True:
        page = await session.list_tools(cursor=cursor) if cursor else await session.list_tools()
        names += [tool.name for tool in page.tools]
        cursor = page.nextCursor
        if not cursor:
            return names


async def verify(mcp_url):
    async with httpx.AsyncClient(timeout=httpx.Timeout(30, read=300)) as http:
        async with streamable_http_client(mcp_url, http_client=http) as (read, write, _):
            async with ClientSession(read, write) as session:
                await session.initialize()
                names = await listed(session)
                counted = len(names) == TOOL_COUNT
                said = [f"{len(names)} tools listed, {TOOL_COUNT} expected"]
                called = True
                if TOOL is None:
                    said.append("no tool answers without arguments, so none was called")
                else:
                    result = await session.call_tool(TOOL, {})
                    text = "".join(block.text for block in result.content if block.type == "text")
                    try:
                        status = json.loads(text).get("status")
                    except (ValueError, AttributeError):
                        status = "unreadable"
                    called = not result.isError and status == STATUS
                    failed = " and failed" if result.isError else ""
                    said.append(f"{TOOL} answered status {status}{failed}, {STATUS} expected")
    return [{"id": "serve", "result": counted and called, "description": "; ".join(said)}]
"#;
