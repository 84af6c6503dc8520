import { readSample } from '../../src/hooks/index.ts';
import { ScriptedServer } from '../support/scripted-server.ts';
import type { Platform } from '../support/scripted-server.ts';
import { githubApi, stripeApi } from '../support/sender-apis.ts';
import type { Attempt } from '../support/sender-apis.ts';
import { ServedCommands } from '../support/served-commands.ts';
import { byGithub } from '../support/signed.ts';

const SECRET = 'the-secret-that-github-signs-with';
const STRIPE_SECRET = 'whsec_the-secret-that-stripe-signs-with';
const HOOKS = {
  presets: ['github', 'stripe'],
  mappings: [
    { id: 'github', verify: { secrets: [SECRET] } },
    { id: 'stripe', verify: { secrets: [STRIPE_SECRET] } },
  ],
};
const TOKEN = 'github_pat_of_the_tests';

let served: ServedCommands;
let api: ScriptedServer;
beforeEach(async () => {
  served = await ServedCommands.start(HOOKS);
  served.dir.write('.env', `GITHUB_TOKEN=${TOKEN}\nSTRIPE_API_KEY=${TOKEN}\n`);
});
afterEach(async () => {
  await api.close();
  await served[Symbol.asyncDispose]();
});

async function serve(platform: Platform): Promise<void> {
  api = new ScriptedServer(platform);
  await api.listen();
}

const hour = (ago: number): string => new Date(Date.now() - ago * 3_600_000).toISOString();
const issue = (number: number): object => ({
  ...(readSample('github', 'issues.opened')!.body as object),
  number,
});
const attempt = (guid: string, status: number, ago: number): Attempt => ({
  guid,
  event: 'issues',
  status,
  payload: issue(ago),
  at: hour(ago),
});

interface CaughtUp {
  readonly code: number | null;
  readonly outcomes: readonly string[];
  readonly stderr: string;
}

async function catchUp(...args: string[]): Promise<CaughtUp> {
  const call = ['catch-up', ...args, '--api', api.origin, '--json'];
  const { code, stdout, stderr } = await served.hooks(...call);
  const { deliveries = [] } = stdout === '' ? {} : JSON.parse(stdout);
  const outcomes = deliveries.map(
    ({ id, outcome }: { id: string; outcome: string }) => `${id} ${outcome}`,
  );
  expect(`${stdout}${stderr}`).not.toContain(TOKEN);
  return { code, outcomes, stderr };
}

const GITHUB = ['github', '--repo', 'octo/hello'];

describe('hooks catch-up github', () => {
  it('takes in what failed, oldest first, once, and not what arrived later', async () => {
    await serve(
      githubApi(SECRET, [
        attempt('too-old', 502, 80),
        attempt('first', 0, 9),
        attempt('came-later', 503, 8),
        attempt('second', 503, 7),
        attempt('arrived', 200, 6),
        attempt('came-later', 200, 5),
        attempt('second', 503, 4),
      ]),
    );
    const { code, outcomes } = await catchUp(...GITHUB);
    expect(code).toBe(0);
    expect(outcomes).toEqual(['first taken in', 'second taken in']);
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual(
      api.requests.map(() => `Bearer ${TOKEN}`),
    );
    expect(await catchUp(...GITHUB, '--hook', '7')).toEqual({
      code: 0,
      outcomes: ['first known', 'second known'],
      stderr: '',
    });
  });

  it('knows what GitHub took for failed and we had taken in', async () => {
    await serve(githubApi(SECRET, [attempt('timed-out', 0, 1)]));
    const body = JSON.stringify(issue(1));
    const direct = await fetch(`${served.service.url}/hooks/github`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'issues',
        'x-github-delivery': 'timed-out',
        ...byGithub(SECRET, body),
      },
    });
    expect(direct.status).toBe(200);
    expect((await catchUp(...GITHUB)).outcomes).toEqual(['timed-out known']);
  });

  it('ends where the service takes nothing in, and takes it in when called again', async () => {
    await serve(githubApi(SECRET, [attempt('first', 0, 9), attempt('second', 503, 7)]));
    expect((await served.hooks('pause')).code).toBe(0);
    const paused = await catchUp(...GITHUB);
    expect(paused).toMatchObject({ code: 1, outcomes: [] });
    expect(paused.stderr).toContain('hooks resume');
    expect(await served.json('events', 'list')).toMatchObject({ events: [] });
    expect((await served.hooks('resume')).code).toBe(0);
    expect((await catchUp(...GITHUB)).outcomes).toEqual(['first taken in', 'second taken in']);
  });

  it.each([
    ['a repository that is none', ['github', '--repo', '../..'], 2],
    ['no repository', ['github'], 2],
    ['a webhook that is none', [...GITHUB, '--hook', '7/../8'], 2],
    ['another sender', ['slack'], 2],
    ['a repository of somebody else', ['github', '--repo', 'octo/other'], 1],
  ])('takes nothing in for %s', async (_title, args, code) => {
    await serve(githubApi(SECRET, [attempt('first', 0, 9)]));
    expect(await catchUp(...args)).toMatchObject({ code, outcomes: [] });
    expect(await served.json('events', 'list')).toMatchObject({ events: [] });
  });

  it('says what the sender answers to a wrong token, and takes nothing in', async () => {
    await serve(() => ({ status: 401, headers: {}, chunks: ['{"message":"Bad credentials"}'] }));
    const { code, stderr } = await catchUp(...GITHUB);
    expect(code).toBe(1);
    expect(stderr).toContain('answers 401');
  });
});

describe('hooks catch-up stripe', () => {
  it('takes in what Stripe could not deliver, oldest first, and once', async () => {
    const sample = readSample('stripe', 'invoice.payment_failed')!.body as object;
    const events = ['evt_1', 'evt_2', 'evt_3'].map((id, at) => ({
      ...sample,
      id,
      created: 1_790_000_000 + at,
    }));
    await serve(stripeApi(events));
    const { code, outcomes } = await catchUp('stripe');
    expect(code).toBe(0);
    expect(outcomes).toEqual(['evt_1 taken in', 'evt_2 taken in', 'evt_3 taken in']);
    const again = await catchUp('stripe', '--since', '6h');
    expect(again.outcomes).toEqual(['evt_1 known', 'evt_2 known', 'evt_3 known']);
    expect(api.requests.at(-1)?.path).toContain('created[gte]=');
  });
});
