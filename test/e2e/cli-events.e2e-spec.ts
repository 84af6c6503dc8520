import { rmSync } from 'node:fs';
import { eventually } from '../support/eventually.ts';
import { ServedCommands } from '../support/served-commands.ts';

const AGENT = {
  id: 'main',
  runner: { type: 'command', command: 'sh', args: ['-c', 'test ! -e "$0" && echo fine'] },
};

const CI = 'the-token-of-ci-for-deploys-alone';
const tokens = [{ id: 'ci', token: CI, hooks: ['deploys'] }];

let served: ServedCommands;
beforeAll(async () => {
  served = await ServedCommands.start({ defaultSessionKey: 'hook:all', tokens }, (dir) => {
    const args = [...AGENT.runner.args, `${dir}/broken`];
    return { agents: { list: [{ ...AGENT, runner: { ...AGENT.runner, args } }] } };
  });
});
afterAll(() => served[Symbol.asyncDispose]());

const waiting = (text: string) =>
  served.postUntil('done', 'wake', { text, mode: 'next-heartbeat' });
const answered = (message: string) =>
  served.postUntil('done', 'agent', { message, deliver: false });

describe('hooks events list', () => {
  it('lists the newest first, a line each: when, how, which, by what and what about', async () => {
    const older = await waiting('disk\nfull');
    const newer = await answered('Do it');
    const { code, stdout } = await served.hooks('events', 'list', '--limit', '2');
    expect(code).toBe(0);
    const [first, second, end] = stdout.split('\n');
    expect(first).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d  done  ${newer}  agent {17}Do it$`));
    expect(second).toMatch(new RegExp(`  done  ${older}  wake {18}disk full$`));
    expect(end).toBe('');
  });

  it('lists refused requests with --refused, as a table and as JSON', async () => {
    await served.post('githbu', {});
    await served.service.post('/hooks/wake', {}, { token: 'a-stranger-s-guess' });
    const rows = await eventually('both are kept', async () => {
      const { refusals } = await served.json('events', 'list', '--refused', '--since', '1h');
      const found = refusals as { code: string; hook: string }[];
      const ours = found.filter(({ hook }) => hook !== 'agent');
      return ours.length === 2 && ours;
    });
    const codes = rows.map(({ code }) => code);
    expect(codes.toSorted()).toEqual(['unauthorized', 'unknown_hook']);
    const verified = ['events', 'list', '--refused', '--verified', '--hook', 'githbu'];
    const { code, stdout, stderr } = await served.hooks(...verified);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [head, line, end] = stdout.split('\n');
    expect(head).toMatch(/^AGE +REFUSED +HOOK +CLIENT +VERIFIED BY$/);
    expect(line).toMatch(/^\d+s +404 unknown_hook +githbu +127\.0\.0\.1 +token$/);
    expect(end).toBe('');
    const none = await served.hooks('events', 'list', '--refused', '--code', 'paused');
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'There are no such refusals.\n' });
  });

  it('says of a token that came to the wrong hook whose it is', async () => {
    const args = ['events', 'list', '--refused', '--hook', 'agent'];
    const answer = await served.service.post('/hooks/agent', { message: 'x' }, { token: CI });
    expect(answer.status).toBe(401);
    const table = await eventually('it is kept', async () => {
      const { stdout } = await served.hooks(...args);
      return stdout !== '' && stdout;
    });
    expect(table).toMatch(/401 unauthorized +agent .* token ci may not speak to this hook$/m);
    expect(table).not.toContain(CI);
    expect(await served.json(...args)).toMatchObject({ refusals: [{ verifiedBy: 'token ci' }] });
  });

  it.each([
    [['--code', 'paused'], '--refused'],
    [['--verified'], '--refused'],
    [['--refused', '--status', 'failed'], '--status'],
    [['--refused', '--session', 'agent:main:main'], '--session'],
    [['--refused', '--since', 'yesterday'], '--since'],
    [['--since', 'yesterday'], '--since'],
    [['--until', '2d3h'], '--until'],
  ])('refuses %j as a wrong usage', async (args, said) => {
    const { code, stdout, stderr } = await served.hooks('events', 'list', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
  });

  it('goes on with the cursor it names', async () => {
    for (const text of ['one', 'other']) await waiting(text);
    const { stdout, stderr } = await served.hooks('events', 'list', '--limit', '1');
    const [, cursor = ''] = /There are more: --cursor (\S+)/.exec(stderr) ?? [];
    const next = await served.hooks('events', 'list', '--limit', '1', '--cursor', cursor);
    expect(next.stdout).toMatch(/done/);
    expect(next.stdout).not.toBe(stdout);
  });

  it('gathers more than the service gives at a time', async () => {
    const bodies = Array.from({ length: 230 }, (_, n) => ({
      text: `${n}`,
      mode: 'next-heartbeat',
    }));
    await Promise.all(bodies.map((body) => served.post('wake', body)));
    const printed = await served.json('events', 'list', '--limit', '225', '--hook', 'wake');
    const ids = (printed['events'] as { id: string }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(225);
    expect(printed['nextCursor']).toEqual(expect.any(String));
  });

  it('is narrowed by time and session', async () => {
    const id = await answered('in the session');
    const listed = async (...args: string[]) => {
      const { events } = await served.json('events', 'list', ...args);
      return (events as { id: string }[]).map((event) => event.id);
    };
    const { receivedAt } = await served.json('events', 'show', id);
    const session = ['--session', 'agent:main:hook:all'];
    expect(await listed(...session, '--since', '1h')).toContain(id);
    expect(await listed(...session, '--until', '1h')).toEqual([]);
    expect(await listed('--until', String(receivedAt))).not.toContain(id);
    expect(await listed('--session', 'agent:main:other')).toEqual([]);
  });

  it('is searched by words, and shows them', async () => {
    const id = await answered('the "unmistakable" words');
    const search = ['events', 'list', '--search', 'UNMISTAKABLE words'];
    const found = await eventually('it is found', async () => {
      const { stdout } = await served.hooks(...search);
      return stdout.includes(id) && stdout;
    });
    expect(found.trim().split('\n')).toHaveLength(1);
    expect(found).toContain('unmistakable');
    const refused = await served.hooks('events', 'list', '--search', 'ab');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('at least 3 letters');
  });

  it('filters, and says when there is nothing', async () => {
    const { code, stdout, stderr } = await served.hooks('events', 'list', '--hook', 'nope');
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: 'There are no such events.\n',
    });
    expect(await served.json('events', 'list', '--hook', 'nope')).toEqual({
      events: [],
      nextCursor: null,
    });
  });

  it.each([
    [
      ['--status', 'odd'],
      '--status must be one of accepted, running, waiting, delivering, done, failed, skipped',
    ],
    [['--limit', '0'], '--limit must be a whole number from 1 to 10000'],
  ])('%j is wrong usage', async (args, said) => {
    const { code, stdout, stderr } = await served.hooks('events', 'list', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
  });
});

describe('hooks events show', () => {
  it('shows every detail', async () => {
    const id = await answered('Do it');
    const { code, stdout, stderr } = await served.hooks('events', 'show', id);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const part of [
      'Timeline',
      'run succeeded',
      'Run: prompt',
      'Do it',
      'Run: reply\n  fine',
      'Request',
    ]) {
      expect(stdout).toContain(part);
    }
  });

  it('finds the last one, and one by the beginning of its id', async () => {
    const id = await waiting('found');
    for (const text of ['last', id.slice(0, 18)]) {
      expect(await served.json('events', 'show', text)).toMatchObject({ id, headline: 'found' });
    }
    // Eight digits stand for a minute: two of one beginning are those between which none was over.
    let [one, next] = [id, await waiting('found after it')];
    while (one.slice(0, 8) !== next.slice(0, 8)) [one, next] = [next, await waiting('and after')];
    const differAt = one.split('').findIndex((digit, at) => digit !== next[at]);
    const { code, stderr } = await served.hooks('events', 'show', one.slice(0, differAt));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(one) });
  });

  it('fails with 1 for an event that is unknown', async () => {
    const { code, stdout, stderr } = await served.hooks('events', 'show', 'nope', '--json');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: {
        message: 'No event has this id; it may have been forgotten.',
        hint: 'See which there are: hooks events list',
      },
    });
  });
});

describe('hooks events replay', () => {
  it('makes a new event that names its origin, and prints its id', async () => {
    const id = await waiting('again');
    const { code, stdout } = await served.hooks('events', 'replay', id);
    expect(code).toBe(0);
    const [, replayed = ''] = /^([\da-f-]{36})\n$/.exec(stdout) ?? [];
    const details = await served.json('events', 'show', replayed);
    expect(details).toMatchObject({ request: { replayOf: id, payload: { text: 'again' } } });
  });

  it('--wait tells how it ends', async () => {
    const id = await answered('again');
    const { code, stdout } = await served.hooks('events', 'replay', id, '--wait');
    expect(code).toBe(0);
    expect(stdout).toContain(`replay of ${id}`);
    expect(stdout).toContain('Reply\n  fine');
  });

  it('fails with 1 for an event that is unknown', async () => {
    expect(await served.hooks('events', 'replay', 'nope')).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('hooks events retry', () => {
  it('goes on with what is dead, and tells how it ends', async () => {
    served.dir.write('broken', '');
    const id = await served.postUntil('failed', 'agent', { message: 'x', deliver: false });
    const again = await served.hooks('events', 'retry', id, '--wait');
    expect(again).toMatchObject({ code: 1, stdout: expect.stringContaining('run failed') });
    rmSync(`${served.dir.path}/broken`);
    const printed = await served.json('events', 'retry', id, '--wait');
    expect(printed).toMatchObject({ eventId: id, retried: 1, story: { status: 'done' } });
  });

  it('goes on with all that is dead, and dismisses what nobody wants', async () => {
    served.dir.write('broken', '');
    const fails = () => served.postUntil('failed', 'agent', { message: 'x', deliver: false });
    const ids = [await fails(), await fails(), await fails()];
    expect(await served.json('events', 'dismiss', ids[0]!)).toEqual({ dismissed: 1 });
    const shown = await served.hooks('events', 'show', ids[0]!);
    expect(shown.stdout).toContain('dismissed');
    rmSync(`${served.dir.path}/broken`);
    const none = await served.json('events', 'retry', '--all', '--since', '2100-01-01');
    expect(none).toEqual({ retried: 0 });
    const all = ['--all', '--hook', 'agent', '--since', '1h', '--status', 'failed'];
    expect(await served.json('events', 'retry', ...all)).toEqual({ retried: 2 });
    await eventually('both are done', async () => {
      const { events } = await served.json('events', 'list', '--status', 'done', '--hook', 'agent');
      const done = new Set((events as { id: string }[]).map(({ id }) => id));
      return done.has(ids[1]!) && done.has(ids[2]!);
    });
    const ofHeartbeats = await served.json('events', 'retry', '--all', '--heartbeats');
    expect(ofHeartbeats).toEqual({ retried: 0 });
    const { stdout } = await served.hooks('events', 'dismiss', '--all');
    expect(stdout).toBe('Dismissed: 0\n');
  });

  it('erases events, such as those that a search finds', async () => {
    const ids = [
      await waiting('Call Erika Mustermann'),
      await waiting('Erika Mustermann called again'),
    ];
    await waiting('Call Max');
    const found = async () => {
      const { events } = await served.json('events', 'list', '--search', 'mustermann');
      return (events as { id: string }[]).map(({ id }) => id);
    };
    expect((await found()).toSorted()).toEqual(ids.toSorted());
    const shown = await served.hooks('events', 'forget', ...(await found()));
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(/^Erased: 2 events, \d turns of sessions, \d waiting lines/);
    expect(shown.stdout).toContain('May still be in: backups');
    expect(await found()).toEqual([]);
    expect((await served.hooks('events', 'show', ids[0]!)).stdout).toContain('forgotten');
    expect(await served.json('events', 'forget', ids[1]!)).toMatchObject({
      events: 1,
      underWay: [],
    });
  });

  it.each([
    [['forget'], "missing required argument 'ids'"],
    [['retry'], 'Which event?'],
    [['dismiss', 'x', '--all'], '--all is about every event.'],
    [
      ['retry', 'x', '--since', '1h'],
      '--hook, --channel, --heartbeats, --since and --status narrow',
    ],
    [
      ['dismiss', 'x', '--heartbeats'],
      '--hook, --channel, --heartbeats, --since and --status narrow',
    ],
    [['dismiss', '--all', '--hook', 'x', '--heartbeats'], 'Heartbeats are of no hook.'],
    [['retry', '--all', '--since', 'soon'], '--since is neither'],
    [['dismiss', '--all', '--status', 'odd'], '--status must be one of'],
    [['retry', '--all', '--wait'], '--wait waits for one event'],
  ])('%j is wrong usage', async (args, said) => {
    const { code, stdout, stderr } = await served.hooks('events', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
  });

  it('fails with 1 and a way out when nothing is dead', async () => {
    const id = await waiting('x');
    const { code, stdout, stderr } = await served.hooks('events', 'retry', id);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('hooks events replay');
  });
});
