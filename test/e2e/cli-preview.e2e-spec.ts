import { ServedCommands } from '../support/served-commands.ts';

const MAPPINGS = [
  { id: 'gh', match: { path: 'github' }, messageTemplate: 'Push to {{repo}} {{headers.x-a}}' },
  { id: 'gl', match: { path: 'gitlab' }, action: 'wake', textTemplate: '{{repo}}' },
];

let served: ServedCommands;
beforeAll(async () => (served = await ServedCommands.start({ mappings: MAPPINGS })));
afterAll(() => served[Symbol.asyncDispose]());

describe('hooks preview', () => {
  it('shows the mapping, why others pass, the action and the exact prompt, without effect', async () => {
    const args = ['preview', '/hooks/github', '--payload', '-', '--header', 'X-A: now'];
    const { code, stdout, stderr } = await served.hooksReading('{"repo": "hooks"}', ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Hook github \(mapping gh\): 1 action\n/);
    for (const part of [
      'takes it  gh: it is the first that fits',
      'passes    1 mapping has another path\n',
      'kind: agent',
      '<<<EXTERNAL_UNTRUSTED_CONTENT',
      '\n  Push to hooks now\n',
    ]) {
      expect(stdout).toContain(part);
    }
    expect(await served.json('events', 'list')).toMatchObject({ events: [] });
  });

  it('prints it as the operator API tells it', async () => {
    served.dir.write('push.json', { repo: 'hooks' });
    const printed = await served.json('preview', 'gitlab', '--payload', 'push.json');
    expect(printed).toMatchObject({
      hook: 'gitlab',
      mapping: 'gl',
      considered: [
        { mapping: 'gh', takes: false, samePath: false },
        { mapping: 'gl', takes: true, samePath: true },
      ],
      actions: [{ kind: 'wake', prompt: expect.stringContaining('hooks') }],
      refusal: null,
    });
  });

  it('shows a request that would be refused, and ends with 1', async () => {
    const { code, stdout, stderr } = await served.hooks('preview', 'nope');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toContain('Hook nope (no mapping takes it): refused or broken');
    expect(stdout).toContain('404 unknown_hook');
    expect(stdout).toContain('hooks.presets');
    expect(stdout).toContain('its path is "github"');
  });
});

describe('hooks preview --event', () => {
  it('looks at an earlier request', async () => {
    const id = await served.post('wake', { text: 'Once more', mode: 'next-heartbeat' });
    const { code, stdout } = await served.hooks('preview', '--event', id);
    expect(code).toBe(0);
    expect(stdout).toContain('Once more');
  });

  it.each([[[]], [['github', '--event', 'x']], [['--event', 'x', '--query', 'a=b']]])(
    '%j is wrong usage',
    async (args) => {
      const { code, stderr } = await served.hooks('preview', ...args);
      expect(code).toBe(2);
      expect(stderr).toContain('either a hook or an --event');
    },
  );

  it('fails with 1 for an event that is unknown', async () => {
    expect(await served.hooks('preview', '--event', 'nope')).toMatchObject({ code: 1, stdout: '' });
  });
});
