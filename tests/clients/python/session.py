"""One session of the official Python client, 2.x or 1.x, with the server: `session.py CONFIGURATION`.

Prints one JSON object per check. The same checks, in the same order, are in `../typescript/session.mjs`.
"""

import asyncio
import json
import os
import sys
import time
from contextlib import asynccontextmanager
from importlib.metadata import version

import anyio
from mcp import StdioServerParameters

IS_2 = version("mcp").startswith("2.")


class Client2:
    """The client of 2.x, which tries 2026-07-28 first, or begins with `initialize` when told to."""

    def __init__(self, client):
        self.client = client
        self.version = client.protocol_version
        self.server = client.server_info.name
        self.instructions = client.instructions

    @classmethod
    @asynccontextmanager
    async def connect(cls, config):
        from mcp import Client

        target = config["url"] or StdioServerParameters(**config["stdio"])
        async with Client(target, mode="legacy" if config["era"] == "legacy" else "auto") as client:
            yield cls(client)

    async def tools(self):
        return [(tool.name, tool.input_schema) for tool in (await self.client.list_tools()).tools]

    async def call(self, tool, arguments, progress=None):
        result = await self.client.call_tool(tool, arguments, progress_callback=progress)
        return result.is_error, only(result.content, result.structured_content)

    async def call_and_cancel(self, tool, arguments):
        with anyio.CancelScope() as scope:
            async def on_progress(*_):
                scope.cancel()

            await self.client.call_tool(tool, arguments, progress_callback=on_progress)
        return lambda: scope.cancelled_caught


class Client1:
    """The client of 1.x, which knows nothing newer than `initialize`."""

    def __init__(self, session, begun):
        self.session = session
        self.version = begun.protocolVersion
        self.server = begun.serverInfo.name
        self.instructions = begun.instructions

    @classmethod
    @asynccontextmanager
    async def connect(cls, config):
        from mcp import ClientSession
        from mcp.client.stdio import stdio_client
        from mcp.client.streamable_http import streamable_http_client

        if config["url"]:
            transport = streamable_http_client(config["url"])
        else:
            transport = stdio_client(StdioServerParameters(**config["stdio"]))
        async with transport as streams, ClientSession(streams[0], streams[1]) as session:
            yield cls(session, await session.initialize())

    async def tools(self):
        return [(tool.name, tool.inputSchema) for tool in (await self.session.list_tools()).tools]

    async def call(self, tool, arguments, progress=None):
        result = await self.session.call_tool(tool, arguments, progress_callback=progress)
        return result.isError, only(result.content, result.structuredContent)

    async def call_and_cancel(self, tool, arguments):
        """This client has no way to cancel a request of its own, so the notification is sent by hand."""
        from mcp import types

        heard = asyncio.Event()

        async def on_progress(*_):
            heard.set()

        request = self.session._request_id
        call = asyncio.create_task(self.session.call_tool(tool, arguments, progress_callback=on_progress))
        await asyncio.wait([call, asyncio.create_task(heard.wait())], return_when=asyncio.FIRST_COMPLETED)
        params = types.CancelledNotificationParams(requestId=request, reason="no longer needed")
        notification = types.CancelledNotification(params=params)
        await self.session.send_notification(types.ClientNotification(notification))

        def went_unanswered():
            unanswered = not call.done()
            call.cancel()
            return unanswered

        return went_unanswered


# How answers came: as a text, as an object, or as something else.
forms = set()


def only(content, structured):
    """The one copy of an answer, as text."""
    is_object = isinstance(structured, dict) and content == []
    is_text = structured is None and len(content) == 1
    forms.add("object" if is_object else "text" if is_text else f"{content!r} {structured!r}")
    return json.dumps(structured) if is_object else content[0].text


def each_came_once(structured):
    check("each answer comes once, as it should", forms == {"object" if structured else "text"}, forms)


def check(name, is_right, detail=""):
    print(json.dumps({"check": name, "ok": bool(is_right), "detail": "" if is_right else str(detail)[:600]}), flush=True)


def at(answer, path):
    """What stands at a path like `results.0.name`."""
    for part in path.split("."):
        try:
            answer = answer[int(part)] if isinstance(answer, list) else answer[part]
        except (IndexError, KeyError, TypeError, ValueError):
            return f"nothing at {path}"
    return answer


async def ask(client, question):
    name = f"{question['tool']} {json.dumps(question['arguments'])}"
    is_error, text = await client.call(question["tool"], question["arguments"])
    answer = json.loads(text)
    if "error" in question:
        error = answer.get("error", {})
        is_right = is_error and error.get("code") == question["error"] and error["data"]["remediation"]
    else:
        is_right = not is_error and all(at(answer, path) == value for path, value in question["expect"].items())
    check(name, is_right, text)


async def unknown_tool(client):
    try:
        answer = await client.call("test_simple_text", {})
        check("an unknown tool is an error of the protocol", False, answer)
    except Exception as error:
        code = getattr(getattr(error, "error", None), "code", None)
        check("an unknown tool is an error of the protocol", code == -32602, repr(error))


async def edits_are_seen(client, repository):
    """An edit, and progress for whoever sent a token; then another edit, seen without a word."""
    told = []

    async def on_progress(done, total, message):
        told.append((done, total))

    path = os.path.join(repository, "shop/gifts.py")
    with open(path, "w") as file:
        file.write("def wrap_gift(item):\n    return item\n")
    is_error, text = await client.call("sync_repo", {}, on_progress)
    check("sync_repo reads the new file alone", not is_error and json.loads(text)["parsed"] == 1, text)
    grows = all(before < after for before, after in zip(told, told[1:]))
    check("progress is told and grows", told and grows and told[-1] == (1, 1), told)
    with open(path, "a") as file:
        file.write("\n\ndef unwrap_gift(item):\n    return item\n")
    expect = {"results.0.path": "shop/gifts.py", "results.0.line_start": 5}
    await ask(client, {"tool": "locate_symbol", "arguments": {"symbol": "unwrap_gift"}, "expect": expect})


async def cancelling(client, repository):
    """Cancels the sync of many new files as soon as it has begun; the next one still has them to read."""
    folder = os.path.join(repository, "generated")
    os.mkdir(folder)
    for file in range(200):
        parts = (f"def part_{file}_{part}(value):\n    return value + {part}\n\n\n" for part in range(30))
        with open(os.path.join(folder, f"part_{file}.py"), "w") as out:
            out.write("".join(parts))
    went_unanswered = await client.call_and_cancel("sync_repo", {})
    _, text = await client.call("index_status", {})
    check("the server answers after a cancelled call", json.loads(text)["files"] == 5, text)
    _, text = await client.call("sync_repo", {})
    check("a cancelled sync did not go on", json.loads(text)["parsed"] > 0, text)
    check("a cancelled call gets no answer", went_unanswered())
    expect = {"results.0.path": "generated/part_199.py", "results.0.line_start": 117}
    await ask(client, {"tool": "locate_symbol", "arguments": {"symbol": "part_199_29"}, "expect": expect})


def has_ended(notes):
    """A server on stdin and stdout ends by itself, with 0, when the client closes."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        with open(notes) as file:
            text = file.read()
        if text and "code" in json.loads(text):
            break
        time.sleep(0.02)
    ended = json.loads(text or "{}")
    check("the server ends with exit code 0", ended.get("code") == 0, ended)


async def main():
    with open(sys.argv[1]) as file:
        config = json.load(file)
    async with (Client2 if IS_2 else Client1).connect(config) as client:
        check(f"speaks {config['version']}", client.version == config["version"], client.version)
        check("says who it is and how to use it", client.server == "codecompass" and client.instructions, client.server)
        tools = await client.tools()
        names = [name for name, schema in tools if schema["type"] == "object"]
        check("lists its tools", names == config["tools"], names)
        for question in config["questions"]:
            await ask(client, question)
        if not config["structured"]:
            await unknown_tool(client)
            await edits_are_seen(client, config["repository"])
            await cancelling(client, config["repository"])
        each_came_once(config["structured"])
    if not config["url"]:
        has_ended(config["notes"])


asyncio.run(main())
