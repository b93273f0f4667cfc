// Whole turns through the official TypeScript library: approvals, questions, a change of config, cancelling, loading,
// two clients at once, and one that vanishes.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import test from 'node:test';
import { client, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { connected, ended, record, selected, start, trusted } from './harness.mjs';

test('turns that ask for everything', async () => {
  const folder = await trusted();
  let pick = 'approve';
  const forms = { 'Shall I go on?': true, 'Which colour?': 'red', 'What name?': 'Ada' };
  const answers = {
    permission: () => selected(pick),
    form: ({ requestedSchema }) => ({
      action: 'accept',
      content: { answer: forms[requestedSchema.properties.answer.title] },
    }),
  };
  await connected(folder, answers, async ({ open, prompt, said, asked }) => {
    const session = await open();
    assert.deepEqual(await prompt(session, 'Leave a note.'), { stopReason: 'end_turn' });
    assert.equal(await said(), 'I leave a note.The note is there.');
    assert.deepEqual(
      asked.splice(0)[0].options.filter((it) => it.optionId === 'reject' || it.optionId === 'approve').map((it) => it.kind),
      ['reject_once', 'allow_once'],
    );
    pick = 'reject';
    await prompt(session, 'Leave another.');
    assert.equal(await said(), 'Then I leave none.');
    assert.equal(readFileSync(join(folder, 'w/notes.txt'), 'utf8'), 'approved\n');

    asked.splice(0);
    await prompt(session, 'Ask me.');
    assert.equal(await said(), 'Thank you.');
    const questions = asked.splice(0).map((it) => it.requestedSchema.properties.answer);
    assert.deepEqual(questions.map((it) => it.type), ['boolean', 'string', 'string']);
    assert.deepEqual(questions[1].oneOf.map((it) => it.const), ['red', 'green']);
    assert.equal(questions[1].default, 'green');
    const responses = record(folder, session).filter((it) => it.type === 'inquiry_response');
    assert.deepEqual(responses.map((it) => it.answer), [true, 'red', 'Ada']);

    // A secret is asked for nowhere, and the person hears why.
    await prompt(session, 'Log in.');
    assert.match(await said(), /This is a secret, and an ACP client has no safe place to write one/);
    assert.deepEqual(asked.splice(0), []);

    await prompt(session, 'Switch the model.');
    assert.equal(await said(), '\n\n> Config delta rejected. Tool re-invoked.\n\nI stay who I am.');
    const [rejected] = asked.splice(0);
    assert.equal(rejected.toolCall.content[0].type, 'diff');
    assert.match(rejected.toolCall.content[0].newText, /strong/);
    pick = 'approve';
    await prompt(session, 'Switch the model.');
    assert.match(await said(), /This is the stronger model\.$/);
    assert.equal(record(folder, session).filter((it) => it.type === 'config_delta').length, 1);
  });
});

test('a client without forms picks from a list, and is asked for no text', async () => {
  const folder = await trusted();
  const answers = { permission: ({ options }) => selected(options.find((it) => it.kind === 'allow_once').optionId) };
  await connected(folder, answers, async ({ open, prompt, said, asked }) => {
    const session = await open();
    await prompt(session, 'Leave a note.');
    await prompt(session, 'Leave another.');
    await said();
    asked.splice(0);
    await prompt(session, 'Ask me.');
    assert.match(await said(), /This client has no form to write an answer in/);
    assert.deepEqual(asked.map((it) => it.options.map((option) => option.name)), [
      ['Cancel', 'Yes', 'No'],
      ['Cancel', 'red', 'green'],
    ]);
  });
});

test('a turn is cancelled, and a conversation is loaded by the next client', async () => {
  const folder = await trusted();
  let session;
  let isAsked;
  const asking = new Promise((done) => (isAsked = done));
  const waits = { permission: () => { isAsked(); return new Promise(() => {}); } };
  await connected(folder, waits, async ({ agent, open, prompt }) => {
    session = await open();
    const turn = prompt(session, 'Leave a note.');
    await asking;
    await agent.notify(methods.agent.session.cancel, { sessionId: session });
    assert.deepEqual(await turn, { stopReason: 'cancelled' });
  });
  assert.equal(existsSync(join(folder, 'w/notes.txt')), false);
  await connected(folder, waits, async ({ agent, cwd, told }) => {
    await agent.request(methods.agent.session.load, { sessionId: session, cwd, mcpServers: [] });
    const kinds = told.map((it) => it.sessionUpdate);
    assert.deepEqual(kinds, ['user_message_chunk', 'agent_message_chunk', 'tool_call', 'tool_call_update']);
    const { sessions } = await agent.request(methods.agent.session.list, { cwd });
    assert.deepEqual(sessions.map((it) => it.sessionId), [session]);
  });
});

test('two clients at once, of which one vanishes', async () => {
  const folder = await trusted();
  let isAsked;
  const asking = new Promise((done) => (isAsked = done));
  const approves = { permission: () => selected('approve') };
  const child = start(folder, 'acp');
  const end = ended(child);
  const vanishing = client({ name: 'vanishing' })
    .onRequest(methods.client.session.requestPermission, () => { isAsked(); return new Promise(() => {}); })
    .onNotification(methods.client.session.update, () => {});
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  let lost;
  const vanished = vanishing.connectWith(stream, async (agent) => {
    await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
    const cwd = join(folder, 'w');
    lost = (await agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId;
    const prompt = [{ type: 'text', text: 'Leave a note.' }];
    agent.request(methods.agent.session.prompt, { sessionId: lost, prompt }).catch(() => {});
    await asking;
    await connected(folder, approves, async ({ open, prompt, said }) => {
      await prompt(await open(), 'Leave a note.');
      assert.match(await said(), /The note is there/);
    });
    child.stdin.end();
    await end;
  });
  // The library says that the connection has gone.
  await vanished.catch((error) => assert.match(error.message, /closed/));
  const response = record(folder, lost).find((it) => it.type === 'tool_call_response');
  const decision = Buffer.from(response.metadata.decisions.run.by, 'base64').toString();
  assert.equal(decision, 'nobody');
  assert.equal(readFileSync(join(folder, 'w/notes.txt'), 'utf8'), 'approved\n');
});

test('without tools nothing is asked and nothing runs', async () => {
  const folder = await trusted();
  await connected(folder, { permission: () => selected('approve') }, async ({ agent, open, prompt, asked }) => {
    const sessionId = await open();
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: 'no-tools' });
    const { configOptions } = await agent.request(methods.agent.session.setConfigOption, {
      sessionId,
      configId: 'model',
      value: 'strong',
    });
    assert.deepEqual(configOptions.map((it) => it.currentValue), ['no-tools', 'strong']);
    await prompt(sessionId, 'Leave a note.');
    assert.deepEqual(asked, []);
    assert.equal(existsSync(join(folder, 'w/notes.txt')), false);
    const delta = record(folder, sessionId).find((it) => it.type === 'config_delta');
    assert.ok(delta, 'the model that was chosen is on record');
  });
});
