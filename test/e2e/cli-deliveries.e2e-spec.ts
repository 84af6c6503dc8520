import { ScriptedServer } from '../support/scripted-server.ts';
import { ServedCommands } from '../support/served-commands.ts';

const SENT = '{"ok":true,"result":{"message_id":7,"date":1700000000}}';
const BLOCKED = '{"ok":false,"error_code":403,"description":"Forbidden: \\u009b2Jblocked"}';

/** A platform that blocks the bot or takes its messages. */
let isBlocked: boolean;
let platform: ScriptedServer;
let served: ServedCommands;
beforeAll(async () => {
  platform = new ScriptedServer(() => ({
    status: isBlocked ? 403 : 200,
    headers: { 'content-type': 'application/json' },
    chunks: [isBlocked ? BLOCKED : SENT],
  }));
  await platform.listen();
  const channel = { provider: 'telegram', token: '1:a', to: '5', apiRoot: platform.origin };
  served = await ServedCommands.start({}, () => ({ channels: { chan_1: channel } }));
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await platform.close();
});

describe('hooks and a reply that does not arrive', () => {
  it('send fails with 1 and says why; retry goes on with it', async () => {
    isBlocked = true;
    const sent = await served.hooks('send', 'agent', '--message', 'Hi');
    expect(sent.code).toBe(1);
    const [, id = ''] = /^Event ([\da-f-]{36}) failed\n/.exec(sent.stdout) ?? [];
    expect(sent.stdout).toMatch(/run succeeded[^]*delivery to chan_1 \(5\): dead: .*blocked/);
    expect(sent.stdout).not.toContain('\u009b');
    isBlocked = false;
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
