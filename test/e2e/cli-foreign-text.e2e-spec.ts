import { ServedCommands } from '../support/served-commands.ts';

/** Fills the clipboard, sets the title, moves the cursor, erases, by C0 and by C1, turns the text around, and hides. */
const HOSTILE =
  'x\u001b]52;c;eA==\u0007\u001b]0;t\u001b\\\u001b[2A\u001b[2K\u009b2J\u009d0;t\u009c\b\u202ey\u2066\u{e0041}\u2028';
const STEERING = /[^\n\P{Cc}]|\p{Bidi_Control}|[\u2028\u2029\u{e0000}-\u{e0fff}]/u;

/** Shows an agent the payload as it is, so that the demo agent's answer holds it, too. */
const MAPPING = {
  id: 'raw',
  name: '{{text}}',
  messageTemplate: '{{text}}',
  allowUnsafeExternalContent: true,
};

let served: ServedCommands;
let id: string;
beforeAll(async () => {
  const hooks = { mappings: [MAPPING], defaultSessionKey: 'hook:all' };
  const defaults = { runner: { type: 'demo' }, models: ['local/a'] };
  served = await ServedCommands.start(hooks, () => ({ agents: { defaults } }));
  id = await served.postUntil('done', 'raw', { text: HOSTILE, [HOSTILE]: HOSTILE });
  await served.post('wake', { text: HOSTILE, mode: 'next-heartbeat' });
});
afterAll(() => served[Symbol.asyncDispose]());

const COMMANDS = [
  ['events list', () => ['events', 'list']],
  ['events show', () => ['events', 'show', id]],
  ['events replay', () => ['events', 'replay', id, '--wait']],
  ['sessions', () => ['sessions']],
  ['sessions, one', () => ['sessions', 'agent:main:hook:all']],
  ['sessions, the main one', () => ['sessions', 'agent:main:main']],
  ['preview', () => ['preview', '--event', id]],
  ['send', () => ['send', 'raw', '--payload', 'hostile.json']],
] as const;

describe('what a payload does to the terminal of an operator', () => {
  it.each(COMMANDS)('nothing in hooks %s', async (_name, args) => {
    served.dir.write('hostile.json', { text: HOSTILE });
    for (const format of [[], ['--json']]) {
      const { code, stdout, stderr } = await served.hooks(...args(), ...format);
      expect(code).toBe(0);
      expect(stdout + stderr).not.toMatch(STEERING);
    }
  });

  it('it is written out', async () => {
    const { stdout } = await served.hooks('events', 'show', id);
    expect(stdout).toContain(String.raw`\u001b]52;c;eA==\u0007`);
    expect(stdout).toContain(String.raw`\u009b2J`);
  });

  it('JSON gives it back as it was', async () => {
    const details = await served.json('events', 'show', id);
    expect(details).toMatchObject({ request: { payload: { text: HOSTILE } } });
  });

  it('nothing from a refusal', async () => {
    const { code, stderr } = await served.hooks(
      'send',
      'agent',
      '--message',
      'x',
      '--model',
      HOSTILE,
    );
    expect(code).toBe(1);
    expect(stderr).not.toMatch(STEERING);
  });
});
