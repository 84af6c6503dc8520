import { bodyOf, readSample } from '../../src/hooks/senders/index.ts';
import { readForeignContent } from '../support/foreign-content.ts';
import { Hooks } from '../support/hooks.ts';
import { byGithub } from '../support/signed.ts';

const SECRET = 'the-secret-that-github-signs-with';

describe('a delivery of GitHub, signed and without our token (issue 12.5)', () => {
  let hooks: Hooks;

  beforeEach(async () => {
    hooks = await Hooks.start({
      presets: ['github'],
      mappings: [{ id: 'github', verify: { secrets: [SECRET] } }],
    });
  });
  afterEach(() => hooks.close());

  /** As GitHub sends it: no token of ours. */
  function deliver(event: string, secret = SECRET, over: Record<string, string> = {}) {
    const sample = readSample('github', event)!;
    const body = bodyOf(sample);
    const headers = { ...sample.headers, ...byGithub(secret, body), authorization: '', ...over };
    return hooks.ask('/github', body, headers);
  }

  it('becomes one run, whose prompt says what to do, who sent it and what happened', async () => {
    const { status, eventId } = await deliver('pull_request.opened');
    expect(status).toBe(200);
    const details = await hooks.ended(eventId);
    expect(details).toMatchObject({ mapping: 'github-pull-request', warnings: [] });
    expect(details.runs).toHaveLength(1);
    const [{ prompt, sessionKey } = {}] = details.runs;
    expect(sessionKey).toBe('hook:github:Codertocat/Hello-World:2');
    expect(prompt).toMatch(
      /^A repository on GitHub reports what happened in it\. Tell the person/u,
    );
    expect(prompt).toContain('\nSender verified by: github\n');
    expect(readForeignContent(prompt)).toBe(
      [
        'GitHub: pull request #2 in Codertocat/Hello-World: opened by Codertocat',
        'Title: Update the README with new information.',
        'From Codertocat:changes into master, author Codertocat (OWNER)',
        'State: open, merged: false',
        '1 commits, 1 files, +1 -1',
        'Label: bug',
        'Review asked of octocat',
        'https://github.com/Codertocat/Hello-World/pull/2',
        'Description: This is a pretty simple change that we need to pull into master.',
      ].join('\n'),
    );
    expect(hooks.runner.turns.map((turn) => turn.kind)).toEqual(['run']);
  });

  it('is refused when somebody else signed it, and nothing happens', async () => {
    const answer = await deliver('pull_request.opened', 'a-secret-of-somebody-else');
    expect(answer).toMatchObject({ status: 401, code: 'invalid_signature' });
    expect([hooks.journal, await hooks.stored()]).toEqual([[], 0]);
  });

  it('runs once, whether GitHub retries it or somebody sends it again under another id', async () => {
    const first = await deliver('issues.opened');
    await hooks.ended(first['eventId']);
    const retry = await deliver('issues.opened');
    const replayed = await deliver('issues.opened', SECRET, { 'x-github-delivery': 'another' });
    expect([retry['eventId'], replayed['eventId']]).toEqual([first['eventId'], first['eventId']]);
    expect(hooks.runner.turns).toHaveLength(1);
  });

  it('skips what nobody waits for, and says which condition said no', async () => {
    const body = JSON.stringify({ zen: 'Keep it logically awesome.', hook_id: 1 });
    const answer = await hooks.ask('/github', body, {
      'x-github-event': 'ping',
      authorization: '',
      ...byGithub(SECRET, body),
    });
    expect(answer).toMatchObject({
      status: 200,
      skipped: true,
      reason: expect.stringContaining('github-pull-request (headers.x-github-event)'),
    });
    expect(hooks.journal).toEqual([]);
  });
});
