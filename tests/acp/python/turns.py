"""Whole turns through the official Python library: approvals, questions, a change of config, cancelling and loading."""

import asyncio
import base64
import json
import logging
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from acp import PROTOCOL_VERSION, RequestError, spawn_agent_process, text_block
from acp.schema import (
    AcceptElicitationResponse,
    AllowedOutcome,
    ClientCapabilities,
    ElicitationCapabilities,
    ElicitationFormCapabilities,
    Implementation,
    RequestPermissionResponse,
)

HERE = Path(__file__).resolve().parent
# The library knows no `$/cancel_request`, which it may ignore, and logs a whole trace of it.
logging.getLogger().addFilter(lambda record: "$/cancel_request" not in record.getMessage())

BINARY = os.environ.get("JP_LSP_BIN") or str(HERE / "../../../target/debug/jp-lsp")


class Workspace:
    """A copy of the workspace whose turns touch everything that a person can be asked, and a home beside it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="jp-acp-")).resolve()
        self.root = self.folder / "w"
        shutil.copytree(HERE / "../../editors/turns", self.root)
        home = self.folder / "home"
        home.mkdir()
        self.environment = {
            **os.environ,
            "HOME": str(home),
            "XDG_DATA_HOME": str(home / "data"),
            "XDG_RUNTIME_DIR": str(home / "run"),
            "JP_GLOBAL_CONFIG_DIR": str(home / "config"),
            "JP_LSP_TEST_SCRIPT": str(self.root / "script.toml"),
        }
        subprocess.run([BINARY, "trust"], cwd=self.root, env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def record(self, session: str) -> list[dict[str, Any]]:
        """The recorded events of a conversation, in the stored form."""
        store = self.folder / "home/data/jp-lsp/conversations"
        (events,) = store.glob(f"*/{session.removeprefix('jp-c')}/events.jsonl")
        return [json.loads(line) for line in events.read_text().splitlines()]


class Person:
    """Answers what it is asked, and notes what it is told."""

    def __init__(self) -> None:
        self.option: str | None = "approve"
        self.answers: dict[str, Any] = {}
        self.asked: list[Any] = []
        self.told: list[Any] = []
        self.is_asked = asyncio.Event()

    def on_connect(self, conn: Any) -> None:
        pass

    async def request_permission(self, session_id: str, tool_call: Any, options: list[Any], **_: Any) -> Any:
        self.asked.append((tool_call, options))
        self.is_asked.set()
        if self.option is None:
            await asyncio.Future()
        outcome = AllowedOutcome(outcome="selected", option_id=self.option)
        return RequestPermissionResponse(outcome=outcome)

    async def create_elicitation(self, message: str, mode: Any, **_: Any) -> Any:
        self.asked.append(mode)
        title = mode.requested_schema.properties["answer"].title
        return AcceptElicitationResponse(action="accept", content={"answer": self.answers[title]})

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.told.append(update)

    def said(self) -> str:
        told, self.told = self.told, []
        chunks = [it for it in told if it.session_update == "agent_message_chunk"]
        return "".join(it.content.text for it in chunks)


class Turns(unittest.IsolatedAsyncioTestCase):
    def agent(self, workspace: Workspace, person: Person) -> Any:
        # Forms are stable in the protocol, and not yet in the library.
        return spawn_agent_process(
            person, BINARY, "acp", env=workspace.environment, cwd=workspace.root, use_unstable_protocol=True
        )

    async def begin(self, agent: Any, forms: bool = True) -> None:
        elicitation = ElicitationCapabilities(form=ElicitationFormCapabilities()) if forms else None
        begun = await agent.initialize(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(elicitation=elicitation),
            client_info=Implementation(name="python", version="1"),
        )
        self.assertEqual(begun.protocol_version, 1)
        self.assertTrue(begun.agent_capabilities.load_session)

    async def test_turns_that_ask_for_everything(self) -> None:
        workspace, person = Workspace(), Person()
        async with self.agent(workspace, person) as (agent, _process):
            await self.begin(agent)
            session = (await agent.new_session(cwd=str(workspace.root), mcp_servers=[])).session_id

            async def ask(text: str) -> str:
                answer = await agent.prompt(session_id=session, prompt=[text_block(text)])
                self.assertEqual(answer.stop_reason, "end_turn")
                # What was told before an answer is handed on after it, but before the next answer.
                await agent.list_sessions(cwd=str(workspace.root))
                return person.said()

            self.assertEqual(await ask("Leave a note."), "I leave a note.The note is there.")
            person.option = "reject"
            self.assertEqual(await ask("Leave another."), "Then I leave none.")
            self.assertEqual((workspace.root / "notes.txt").read_text(), "approved\n")

            person.answers = {"Shall I go on?": False, "Which colour?": "green", "What name?": "Grace"}
            self.assertEqual(await ask("Ask me."), "Thank you.")
            responses = [it for it in workspace.record(session) if it["type"] == "inquiry_response"]
            self.assertEqual([it["answer"] for it in responses], [False, "green", "Grace"])

            person.asked.clear()
            self.assertIn("This is a secret", await ask("Log in."))
            self.assertEqual(person.asked, [])

            self.assertIn("I stay who I am.", await ask("Switch the model."))
            call, _ = person.asked[0]
            self.assertEqual(call.content[0].type, "diff")
            person.option = "approve"
            self.assertIn("This is the stronger model.", await ask("Switch the model."))

            decided = [it["metadata"]["decisions"]["run"] for it in workspace.record(session)
                       if it["type"] == "tool_call_response" and "decisions" in it.get("metadata", {})]
            client = base64.b64decode(decided[0]["client"]).decode()
            self.assertEqual(client, "python")

    async def test_a_turn_is_cancelled_and_the_conversation_loaded(self) -> None:
        workspace, person = Workspace(), Person()
        person.option = None
        async with self.agent(workspace, person) as (agent, _process):
            await self.begin(agent)
            session = (await agent.new_session(cwd=str(workspace.root), mcp_servers=[])).session_id
            turn = asyncio.create_task(agent.prompt(session_id=session, prompt=[text_block("Leave a note.")]))
            await person.is_asked.wait()
            await agent.cancel(session_id=session)
            self.assertEqual((await turn).stop_reason, "cancelled")
        self.assertFalse((workspace.root / "notes.txt").exists())
        person = Person()
        async with self.agent(workspace, person) as (agent, _process):
            await self.begin(agent)
            await agent.load_session(cwd=str(workspace.root), session_id=session, mcp_servers=[])
            listed = await agent.list_sessions(cwd=str(workspace.root))
            self.assertEqual([it.session_id for it in listed.sessions], [session])
            kinds = [it.session_update for it in person.told]
            self.assertEqual(kinds, ["user_message_chunk", "agent_message_chunk", "tool_call", "tool_call_update"])
            with self.assertRaises(RequestError):
                await agent.load_session(cwd=str(workspace.root), session_id="jp-c1", mcp_servers=[])


if __name__ == "__main__":
    unittest.main()
