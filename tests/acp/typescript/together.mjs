// One prompt in two processes: the first answer wins, and the other is withdrawn.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { methods } from '@agentclientprotocol/sdk';
import { connected, ended, record, selected, start, trusted } from './harness.mjs';

/** A promise that is kept from outside. */
function promise() {
  let keep;
  const kept = new Promise((done) => (keep = done));
  return { kept, keep };
}

const never = () => new Promise(() => {});

/** Who decided about the first call of a conversation, and where. */
function decision(folder, sessionId) {
  const { run } = record(folder, sessionId).find((it) => it.type === 'tool_call_response').metadata.decisions;
  const text = (name) => Buffer.from(run[name] ?? '', 'base64').toString();
  return [text('outcome'), text('by'), text('surface'), text('client')];
}

test('two ACP clients on one conversation show the same prompt', async () => {
  const folder = await trusted();
  const [first, second] = [promise(), promise()];
  const one = { permission: (asked) => (first.keep(asked), never()) };
  const other = { permission: (asked) => (second.keep(asked), selected('approve')) };
  await connected(folder, one, async ({ open, prompt, said }) => {
    const session = await open();
    const turn = prompt(session, 'Leave a note.');
    const shown = await first.kept;
    await connected(folder, other, async ({ agent, cwd }) => {
      await agent.request(methods.agent.session.load, { sessionId: session, cwd, mcpServers: [] });
      const same = await second.kept;
      assert.deepEqual(same._meta, shown._meta);
      assert.deepEqual(same.options, shown.options);
      assert.deepEqual(await turn, { stopReason: 'end_turn' });
    });
    assert.match(await said(), /The note is there/);
    assert.deepEqual(decision(folder, session), ['allowed', 'person', 'session/request_permission', 'typescript']);
  });
  assert.equal(readFileSync(join(folder, 'w/notes.txt'), 'utf8'), 'approved\n');
});

/** A window of an editor that shows prompts: as much of LSP as that takes. */
function window(folder, onPrompt) {
  const child = start(folder, 'lsp');
  const waiting = new Map();
  let number = 0;
  let buffer = Buffer.alloc(0);
  const send = (message) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const request = (method, params) => {
    const id = ++number;
    send({ id, method, params });
    return new Promise((done) => waiting.set(id, done));
  };
  child.stdout.on('data', async (data) => {
    buffer = Buffer.concat([buffer, data]);
    for (;;) {
      const end = buffer.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, end))[1]);
      if (buffer.length < end + 4 + length) return;
      const message = JSON.parse(buffer.subarray(end + 4, end + 4 + length));
      buffer = buffer.subarray(end + 4 + length);
      if (message.method === 'jp/prompt') Promise.resolve(onPrompt(message.params)).then((result) => send({ id: message.id, result }));
      else if (message.method && message.id !== undefined) send({ id: message.id, result: null });
      else if (message.id !== undefined) waiting.get(message.id)?.(message);
      else if (message.method === 'jp/promptResolved') onPrompt.resolved?.(message.params);
    }
  });
  const initialize = async () => {
    await request('initialize', {
      processId: null,
      clientInfo: { name: 'an editor' },
      rootUri: null,
      workspaceFolders: [{ uri: pathToFileURL(join(folder, 'w')).href, name: 'w' }],
      capabilities: { experimental: { jp: { prompts: true } } },
      initializationOptions: { trusted: true },
    });
    send({ method: 'initialized', params: {} });
  };
  const leave = async () => {
    await request('shutdown', null);
    send({ method: 'exit' });
    assert.equal(await ended(child), 0);
  };
  return { initialize, request, leave };
}

test('a window of an editor decides what an ACP client was asked', async () => {
  const folder = await trusted();
  const asked = promise();
  await connected(folder, { permission: (params) => (asked.keep(params), never()) }, async ({ open, prompt }) => {
    const session = await open();
    const turn = prompt(session, 'Leave a note.');
    const there = await asked.kept;
    const shown = promise();
    const editor = window(folder, (params) => (shown.keep(params), { action: 'approve' }));
    await editor.initialize();
    const read = await editor.request('jp/conversation/read', { conversation: session });
    assert.ok(read.result, JSON.stringify(read));
    const here = await shown.kept;
    assert.deepEqual([here.id, here.digest], [there._meta.jp.id, there._meta.jp.digest]);
    assert.equal(here.choices.length, 7);
    assert.deepEqual(await turn, { stopReason: 'end_turn' });
    await editor.leave();
    assert.deepEqual(decision(folder, session), ['allowed', 'person', 'jp/prompt', 'an editor']);
  });
});

test('a window shows what an ACP client asks later, and hears that it was decided there', async () => {
  const folder = await trusted();
  const shown = promise();
  const resolved = promise();
  await connected(folder, { permission: () => shown.kept.then(() => selected('reject')) }, async ({ open, prompt }) => {
    const session = await open();
    const onPrompt = (params) => (shown.keep(params), never());
    onPrompt.resolved = (params) => resolved.keep(params);
    const editor = window(folder, onPrompt);
    await editor.initialize();
    await editor.request('jp/conversation/read', { conversation: session });
    assert.deepEqual(await prompt(session, 'Leave a note.'), { stopReason: 'end_turn' });
    assert.deepEqual(await resolved.kept, { id: (await shown.kept).id, action: 'reject' });
    await editor.leave();
    assert.deepEqual(decision(folder, session), ['refused', 'person', 'session/request_permission', 'typescript']);
  });
});
