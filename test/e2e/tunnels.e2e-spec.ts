import { readFileSync } from 'node:fs';
import JSON5 from 'json5';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { askAt } from '../support/http-question.ts';
import { ServedGateway } from '../support/served-gateway.ts';

// What tunnels send from this machine, as docs/tunnels.md tells of them, to a service configured as it says.

const TOKEN = 'the-hook-token-of-the-tests';
const OPERATOR = 'the-operator-token-of-the-tests';
const SENDER = '198.51.100.7';
/** What a sender writes itself, to be taken for somebody else. */
const CLAIMED = '203.0.113.9';

const PAGE = readFileSync(new URL('../../docs/tunnels.md', import.meta.url), 'utf8');
const [, ADVICE = ''] = /```json5\n([^]*?)\n```/.exec(PAGE) ?? [];
const { gateway, ops } = JSON5.parse(ADVICE.replace('18791', '0'));

const TUNNELS: Readonly<Record<string, (sender: string) => Record<string, string>>> = {
  cloudflared: (sender) => ({
    host: 'three-words.trycloudflare.com',
    'x-forwarded-for': `${CLAIMED},${sender}`,
    'cf-connecting-ip': sender,
    'cf-ray': '9bb1d9d2ab1c2d3e-FRA',
    'cdn-loop': 'cloudflare; loops=1',
    'x-forwarded-proto': 'https',
  }),
  'Tailscale Funnel': (sender) => ({
    host: 'box.tail1234.ts.net',
    'x-forwarded-for': sender,
    'x-forwarded-host': 'box.tail1234.ts.net',
    'x-forwarded-proto': 'https',
    'tailscale-funnel-request': '?1',
  }),
  ngrok: (sender) => ({
    host: 'ab12.ngrok-free.dev',
    'x-forwarded-for': `${CLAIMED}, ${sender}`,
    'x-forwarded-host': 'ab12.ngrok-free.dev',
    'x-forwarded-proto': 'https',
  }),
};

async function start(dir: ConfigDirectory, more: object): Promise<ServedGateway> {
  dir.write('gateway.json5', {
    gateway: { ...gateway, auth: { token: OPERATOR }, port: 0 },
    hooks: { enabled: true, token: TOKEN },
    agents: { defaults: { runner: { type: 'demo' } } },
    ...more,
  });
  return ServedGateway.start(dir.path);
}

describe.each(Object.entries(TUNNELS))('through %s', (_, headersOf) => {
  let dir: ConfigDirectory;
  beforeEach(() => (dir = new ConfigDirectory()));
  afterEach(() => dir[Symbol.dispose]());

  const wake = (at: string, token: string, sender: string) => {
    const sent = { method: 'POST', token, headers: headersOf(sender), body: { text: 'Hello' } };
    return askAt(at, '/hooks/wake', sent);
  };

  it('events and refusals have the address of their sender, and one that guesses is locked out alone', async () => {
    await using service = await start(dir, { ops });
    const { url, operator } = service;
    const { status, body } = await wake(url, TOKEN, SENDER);
    expect(status).toBe(200);
    const asked = { token: OPERATOR };
    expect(
      await askAt(operator, `/ops/api/events/${String(body['eventId'])}`, asked),
    ).toMatchObject({ body: { request: { client: SENDER } } });
    const statuses = new Set<number>();
    for (let guess = 0; guess < 25; guess += 1) {
      statuses.add((await wake(url, 'a-wrong-token', '192.0.2.1')).status);
    }
    expect([...statuses]).toEqual([401, 429]);
    expect((await wake(url, 'a-wrong-token', SENDER)).status).toBe(401);
    const clients = await eventually('both are among the refused', async () => {
      const answer = await askAt(operator, '/ops/api/refusals', asked);
      const refusals = answer.body['refusals'] as { client: string }[];
      const found = new Set(refusals.map(({ client }) => client));
      return found.size > 1 && found;
    });
    expect([...clients].toSorted()).toEqual(['192.0.2.1', SENDER]);
  });

  it('nothing but hooks is there', async () => {
    await using service = await start(dir, { ops });
    const asked = { token: OPERATOR, headers: headersOf(SENDER), isDocumented: false };
    for (const path of ['/ops/api/status', '/ops/metrics', '/console/', '/']) {
      expect((await askAt(service.url, path, asked)).status).toBe(404);
    }
  });

  it('the operator is not there either where all listen on one port', async () => {
    await using service = await start(dir, {});
    const headers = headersOf(SENDER);
    const ask = (host: string) =>
      askAt(service.url, '/ops/api/status', { token: OPERATOR, headers: { ...headers, host } });
    expect(await ask(headers['host'] ?? '')).toMatchObject({
      status: 421,
      body: { code: 'host_not_allowed' },
    });
    expect(await ask('localhost:18790')).toMatchObject({
      status: 403,
      body: { code: 'loopback_only' },
    });
  });
});
