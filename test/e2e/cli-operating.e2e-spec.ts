import { ScriptedServer } from '../support/scripted-server.ts';
import { eventually } from '../support/eventually.ts';
import { ServedCommands } from '../support/served-commands.ts';

const SENT = '{"ok":true,"result":{"message_id":7,"date":1700000000}}';
const EXPIRED = '{"ok":false,"error_code":401,"description":"Unauthorized: \\u009b2Jexpired"}';

const BLOCKED = '{"ok":false,"error_code":403,"description":"Forbidden: \\u009b2Jblocked"}';

let answer: string;
let platform: ScriptedServer;
let served: ServedCommands;
beforeAll(async () => {
  platform = new ScriptedServer(() => ({
    status: Number(/"error_code":(\d+)/.exec(answer)?.[1] ?? 200),
    headers: { 'content-type': 'application/json' },
    chunks: [answer],
  }));
  await platform.listen();
  const channel = { provider: 'telegram', token: '1:a', to: '5', apiRoot: platform.origin };
  served = await ServedCommands.start({}, () => ({ channels: { chan_1: channel } }));
});
beforeEach(() => (answer = SENT));
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await platform.close();
});

const wake = () => served.service.post('/hooks/wake', { text: 'x', mode: 'next-heartbeat' });

describe('hooks pause and resume', () => {
  it('stop intake and work, and let them go on', async () => {
    const paused = await served.hooks('pause');
    expect(paused).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Paused: /) });
    expect(paused.stderr).toContain('hooks resume');
    expect(await wake()).toMatchObject({ status: 503, body: { code: 'paused' } });
    const { code, stdout } = await served.hooks('status');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Service at \S+ paused\n[^]*the service is paused\n +→ hooks resume/);
    expect(await served.json('resume')).toEqual({ paused: false });
    expect((await wake()).status).toBe(200);
  });
});

describe('hooks audit', () => {
  it('lists what was done, by whom, with what was before and after, newest first', async () => {
    await served.hooks('pause');
    await served.hooks('resume');
    const { code, stdout } = await served.hooks('audit', '--limit', '2');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^\S+Z operator POST \/ops\/api\/resume: done\n {2}\{"paused":true\} → \{"paused":false\}\n\S+Z operator POST \/ops\/api\/pause: done\n.*\n$/,
    );
    expect(await served.json('audit', '--limit', '1')).toMatchObject({
      entries: [{ actor: 'operator', operation: 'POST /ops/api/resume', outcome: 'done' }],
      nextCursor: expect.any(String),
    });
    expect((await served.hooks('audit', '--actor', 'nobody')).stderr).toContain('Nothing was done');
  });
});

describe('hooks usage', () => {
  it('shows turns, and of programs not what nobody knows, or that there was none', async () => {
    const runner = { type: 'command', command: 'echo', args: ['Hello'] };
    const agents = { defaults: { runner } };
    await using own = await ServedCommands.start({}, () => ({ agents }));
    expect((await own.hooks('usage')).stderr).toContain('No agent was asked in the last 30 days');
    expect(await own.json('usage', '--by', 'model', '--days', '1')).toEqual({
      by: 'model',
      days: 1,
      usage: [],
    });
    const body = { message: 'x', deliver: false, wakeMode: 'next-heartbeat' };
    await own.service.post('/hooks/agent', body);
    const shown = await eventually('its run has ended', async () => {
      const { stdout } = await own.hooks('usage', '--by', 'hook');
      return stdout !== '' && stdout;
    });
    expect(shown.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['HOOK', 'OF', 'TURNS', 'INPUT', 'OUTPUT', 'COST'],
      ['agent', 'runs', '1', '?', '?', '?'],
      [''],
    ]);
    const { code, stderr } = await own.hooks('usage', '--by', 'colour');
    expect([code, stderr]).toEqual([2, expect.stringContaining('one of hook, agent, model')]);
  });
});

describe('hooks channels', () => {
  it('test sends a message to the recipient of the channel, or to another one', async () => {
    const told = await served.hooks('channels', 'test', 'chan_1');
    expect(told).toEqual({
      code: 0,
      stdout: 'The test message was delivered as message 7.\n',
      stderr: '',
    });
    expect(platform.requests.at(-1)?.body).toMatchObject({ chat_id: '5' });
    const sent = await served.json('channels', 'test', 'chan_1', '--to', '77');
    expect(sent).toEqual({ status: 'delivered', messageId: '7' });
    expect(platform.requests.at(-1)?.body).toMatchObject({ chat_id: '77' });
  });

  it('test of one that is not configured is 1, and nothing is sent', async () => {
    const before = platform.requests.length;
    const { code, stderr } = await served.hooks('channels', 'test', 'chan_2');
    expect(code).toBe(1);
    expect(stderr).toContain('hooks channels list');
    expect(platform.requests).toHaveLength(before);
  });

  it('list shows what a failing one was answered, harmless; status says that it needs you', async () => {
    await served.hooks('channels', 'test', 'chan_1');
    answer = EXPIRED;
    const tested = await served.hooks('channels', 'test', 'chan_1');
    expect(tested).toMatchObject({ code: 1, stdout: '' });
    const { code, stdout } = await served.hooks('channels', 'list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^CHANNEL +PROVIDER +STATE +LAST MESSAGE +LAST ERROR\n/);
    expect(stdout).toMatch(/\nchan_1 +telegram +failing +\d+s ago +\d+s ago: /);
    expect(await served.json('channels', 'list')).toMatchObject({
      channels: [{ id: 'chan_1', state: 'failing' }],
    });
    const status = await served.hooks('status');
    expect(status.code).toBe(1);
    expect(status.stdout).toMatch(/needs you\n[^]*chan_1 fails: [^]*→ hooks channels test chan_1/);
    for (const shown of [tested.stderr, stdout, status.stdout])
      expect(shown).not.toContain('\u009b');
  });

  it('list says where to begin when there are none', async () => {
    await using bare = await ServedCommands.start();
    expect(await bare.hooks('channels', 'list')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'There are no channels: docs/channels.md\n',
    });
  });
});

describe('hooks and a reply that does not arrive', () => {
  it('send fails with 1 and says why; retry goes on with it', async () => {
    answer = BLOCKED;
    const sent = await served.hooks('send', 'agent', '--message', 'Hi');
    expect(sent.code).toBe(1);
    const [, id = ''] = /^Event ([\da-f-]{36}) failed\n/.exec(sent.stdout) ?? [];
    expect(sent.stdout).toMatch(/run succeeded[^]*delivery to chan_1 \(5\): dead: .*blocked/);
    expect(sent.stdout).not.toContain('\u009b');
    answer = SENT;
    const retried = await served.hooks('events', 'retry', id, '--wait');
    expect(retried.code).toBe(0);
    expect(retried.stdout).toContain('delivery to chan_1 (5): delivered as message 7');
  });
});

describe('hooks and a token that is not the right one', () => {
  it('is 1, with the sentence of the service, and never shows a token', async () => {
    served.dir.write('other', 'not-the-operator-token');
    for (const args of [
      ['events', 'tail'],
      ['send', 'wake', '--text', 'x', '--hook-token-file', 'other'],
    ]) {
      const { code, stdout, stderr } = await served.hooks(...args, '--token-file', 'other');
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/Send the operator token|The hook token is missing or wrong/);
      expect(stderr).not.toContain('not-the-operator-token');
    }
  });
});

describe('hooks status', () => {
  it('is 0 and "fine" once everything works', async () => {
    await served.hooks('channels', 'test', 'chan_1');
    const { code, stdout, stderr } = await served.hooks('status');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Service at http:\S+ fine\n {2}intake: hooks take requests\n/);
    expect(stdout).toMatch(/\n {2}versions: \d+\.\d+\.\d+, Node \d+/);
    expect(stdout).not.toContain('Needs you');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(await served.json('status')).toMatchObject({ ready: true, paused: false });
  });
});
