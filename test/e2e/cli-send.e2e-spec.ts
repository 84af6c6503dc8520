import { eventually } from '../support/eventually.ts';
import { ServedCommands } from '../support/served-commands.ts';

const AGENTS = [
  { id: 'main' },
  { id: 'broken', runner: { type: 'command', command: 'false' } },
  { id: 'slow', runner: { type: 'command', command: 'sleep', args: ['600'] } },
];
const MAPPINGS = [
  { id: 'ci', messageTemplate: '{{headers.x-a}} {{query.b}} {{build}}', deliver: false },
  { id: 'gh', match: { path: 'github' }, messageTemplate: 'Push to {{repo}} {{headers.x-a}}' },
  { id: 'gl', match: { path: 'gitlab' }, action: 'wake', textTemplate: '{{repo}}' },
  { id: 'none', forEach: 'items', messageTemplate: '{{item}}' },
];

let served: ServedCommands;
beforeAll(async () => {
  // More places than the slow runs take, which nobody ends.
  const defaults = { runner: { type: 'demo' }, maxConcurrent: 8 };
  const agents = { defaults, list: AGENTS };
  served = await ServedCommands.start({ mappings: MAPPINGS }, () => ({ agents }));
});
afterAll(() => served[Symbol.asyncDispose]());

describe('hooks preview', () => {
  it('shows the mapping, why others pass, the action and the exact prompt, without effect', async () => {
    const args = ['preview', '/hooks/github', '--payload', '-', '--header', 'X-A: now'];
    const { code, stdout, stderr } = await served.hooksReading('{"repo": "hooks"}', ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Hook github \(mapping gh\): 1 action\n/);
    for (const part of [
      'takes it  gh: it is the first that fits',
      'passes    3 mappings have other paths\n',
      'kind: agent',
      '<<<EXTERNAL_UNTRUSTED_CONTENT',
      '\n  Push to hooks now\n',
    ]) {
      expect(stdout).toContain(part);
    }
    const github = ['events', 'list', '--hook', 'github'];
    expect(await served.json(...github)).toMatchObject({ events: [] });
  });

  it('prints it as the operator API tells it', async () => {
    served.dir.write('push.json', { repo: 'hooks' });
    const printed = await served.json('preview', 'gitlab', '--payload', 'push.json');
    expect(printed).toMatchObject({
      hook: 'gitlab',
      mapping: 'gl',
      considered: expect.arrayContaining([
        expect.objectContaining({ mapping: 'gh', takes: false, samePath: false }),
        expect.objectContaining({ mapping: 'gl', takes: true, samePath: true }),
      ]),
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

describe('hooks send wake and agent', () => {
  it('tells a wake to its end, and where the answer is', async () => {
    const { code, stdout, stderr } = await served.hooks('send', 'wake', '--text', 'Hello');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Event [\da-f-]{36} done\n/);
    expect(stdout).toContain('heartbeat done');
    expect(stderr).toMatch(
      /^Accepted as event ([\da-f-]{36})\nIt is stored and goes on, also after Ctrl-C: hooks events show \1\nWhat the agent said: hooks sessions agent:main:main\n$/,
    );
  });

  it('asks an agent and shows its reply', async () => {
    const { code, stdout } = await served.hooks('send', 'agent', '--message', 'Hi', '--no-deliver');
    expect(code).toBe(0);
    expect(stdout).toContain('run succeeded');
    expect(stdout).toContain('\nReply\n  This is the demo agent');
    expect(stdout).not.toContain('delivery');
  });

  it('prints answer and story as one JSON document', async () => {
    const printed = await served.json(
      'send',
      'agent',
      '--message',
      'Hi',
      '--name',
      'N',
      '--deliver',
    );
    expect(printed).toMatchObject({
      status: 200,
      isRepeat: false,
      story: { id: printed['eventId'], status: 'done', actions: [{ name: 'N' }] },
    });
  });

  it('fails with 1 when the run failed', async () => {
    const args = ['send', 'agent', '--message', 'Hi', '--agent', 'broken'];
    const { code, stdout } = await served.hooks(...args);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Event [\da-f-]{36} failed\n/);
    expect(stdout).toContain('run failed');
  });

  it('fails with 1 and the reason when the request is refused', async () => {
    const { code, stdout, stderr } = await served.hooks('send', 'wake');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('text should not be empty');
  });
});

describe('hooks send <hook>', () => {
  it('sends payload, headers and query to a mapping, from stdin', async () => {
    const args = [
      'send',
      '/hooks/ci',
      '--payload',
      '-',
      '--header',
      'X-A: one',
      '--query',
      'b=two',
    ];
    const { code, stdout } = await served.hooksReading('{"build": "three"}', ...args);
    expect(code).toBe(0);
    expect(stdout).toContain('Your message begins with “one two three”.');
  });

  it('is fine when there was nothing to do, and tells the skipped event', async () => {
    const args = ['send', 'none', '--payload', '-', '--json'];
    const { code, stdout } = await served.hooksReading('{"items": []}', ...args);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: 200, story: { status: 'skipped' } });
  });

  it('runs a repeat of an idempotency key once, and says so', async () => {
    const args = ['send', 'ci', '--query', 'b=x', '--idempotency-key', 'k1', '--no-wait'];
    const [first, second] = [await served.hooks(...args), await served.hooks(...args)];
    expect(second).toMatchObject({ code: 0, stdout: first?.stdout });
    expect(second?.stderr).toContain('nothing new was done');
  });

  it('suggests a preview for a hook that does not exist', async () => {
    const { code, stderr } = await served.hooks('send', 'nope');
    expect(code).toBe(1);
    expect(stderr).toContain('No hook has this name');
    expect(stderr).toContain('hooks preview');
  });
});

describe('hooks send and time', () => {
  const slow = ['send', 'agent', '--message', 'Hi', '--agent', 'slow'];

  it('--no-wait prints the id and ends', async () => {
    const { code, stdout, stderr } = await served.hooks(...slow, '--no-wait');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^[\da-f-]{36}\n$/);
  });

  it('--timeout ends the wait with 1, and names the event', async () => {
    const { code, stdout, stderr } = await served.hooks(...slow, '--timeout', '0.2');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('did not end within 200 ms; it goes on');
    expect(stderr).toMatch(/hooks events show [\da-f-]{36}/);
  });

  it('--timeout --json still says which event it was', async () => {
    const { code, stdout, stderr } = await served.hooks(...slow, '--timeout', '0.2', '--json');
    expect(code).toBe(1);
    const { eventId, story }: { eventId: string; story: null } = JSON.parse(stdout);
    expect(story).toBeNull();
    expect(JSON.parse(stderr)).toMatchObject({ error: { hint: expect.stringContaining(eventId) } });
  });

  it('Ctrl-C ends the wait with 130; the event goes on', async () => {
    await using sending = served.begin(...slow);
    await eventually('it waits', () => sending.stderr.includes('Accepted as event'));
    const { code, stdout, stderr } = await sending.interrupt();
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    const [, id = ''] = /hooks events show ([\da-f-]{36})/.exec(stderr) ?? [];
    expect(await served.json('events', 'show', id)).toMatchObject({
      id,
      actions: [{ agentId: 'slow' }],
    });
  });
});
