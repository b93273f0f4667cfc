// A client on the official TypeScript library, in a workspace of its own.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, mkdirSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { client, methods, ndJsonStream } from '@agentclientprotocol/sdk';

const binary = process.env.JP_LSP_BIN ?? resolve('../../../target/debug/jp-lsp');

/** A copy of the workspace whose turns touch everything that a person can be asked, and a home beside it. */
function workspace() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'jp-acp-')));
  cpSync(resolve('../../editors/turns'), join(folder, 'w'), { recursive: true });
  mkdirSync(join(folder, 'home'));
  return folder;
}

/** Starts `jp-lsp` in a workspace. */
export function start(folder, ...args) {
  const home = join(folder, 'home');
  const env = {
    ...process.env,
    HOME: home,
    XDG_DATA_HOME: join(home, 'data'),
    XDG_RUNTIME_DIR: join(home, 'run'),
    JP_GLOBAL_CONFIG_DIR: join(home, 'config'),
    JP_LSP_TEST_SCRIPT: join(folder, 'w/script.toml'),
  };
  return spawn(binary, args, { cwd: join(folder, 'w'), env, stdio: ['pipe', 'pipe', 'inherit'] });
}

export const ended = (child) => new Promise((done) => child.on('exit', done));

export async function trusted() {
  const folder = workspace();
  const child = start(folder, 'trust');
  child.stdout.resume();
  assert.equal(await ended(child), 0);
  return folder;
}

/** A client that answers what it is asked as `answers` say, and notes what it is told. */
export async function connected(folder, answers, use) {
  const child = start(folder, 'acp');
  const end = ended(child);
  const told = [];
  const asked = [];
  const app = client({ name: 'typescript' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      return answers.permission(params);
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      asked.push(params);
      return answers.form(params);
    })
    .onNotification(methods.client.session.update, ({ params }) => {
      told.push(params.update);
    });
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  const used = app.connectWith(stream, async (agent) => {
    const { protocolVersion } = await agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientInfo: { name: 'typescript', version: '1' },
      clientCapabilities: answers.form ? { elicitation: { form: {} } } : {},
    });
    assert.equal(protocolVersion, 1);
    const cwd = join(folder, 'w');
    const open = async () => (await agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId;
    const prompt = (sessionId, text) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
    const said = async () => {
      // The library hands on what was told before an answer after it, but before the next answer.
      await agent.request(methods.agent.session.list, { cwd });
      return told.splice(0).flatMap((it) => (it.sessionUpdate === 'agent_message_chunk' ? [it.content.text] : [])).join('');
    };
    await use({ agent, cwd, open, prompt, said, told, asked, child });
  });
  await used.finally(() => child.stdin.end());
  assert.equal(await end, 0);
}

export const selected = (optionId) => ({ outcome: { outcome: 'selected', optionId } });

/** The recorded events of a conversation, in the stored form. */
export function record(folder, sessionId) {
  const store = join(folder, 'home/data/jp-lsp/conversations');
  const [place] = readdirSync(store);
  const file = join(store, place, sessionId.replace('jp-c', ''), 'events.jsonl');
  return readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
}
