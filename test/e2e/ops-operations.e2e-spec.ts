import { readFileSync } from 'node:fs';
import { ROLES } from '../../src/service/configuration/operator-tokens.ts';
import type { Role } from '../../src/service/configuration/operator-tokens.ts';
import {
  HOOK_TOKEN,
  METRICS_TOKEN,
  OPERATOR_TOKEN,
  OperatedService,
} from '../support/operated-service.ts';
import type { Asked, Method } from '../support/operated-service.ts';

// A new operation of docs/openapi.json needs no line here. OperatedService compares each answer with the document.

interface Operation {
  readonly id: string;
  readonly method: Method;
  readonly url: string;
  readonly answers: readonly string[];
  readonly role: Role;
}

/** Asked with what makes a request complete; whoever is refused before needs none. */
const BODIES: Readonly<Record<string, object>> = {
  channelsTest: { to: '+49' },
  preview: { event: 'unknown' },
  sessionsSetRoute: { channel: 'chan_1', to: '42' },
  waitsDecide: { verdict: 'approved' },
};
/** What needs more than this service has: files of a configuration, other instances, a mapping that takes a request. */
const NOT_HERE = [
  'configurationReport',
  'mappingsRemove',
  'mappingsSave',
  'presetsEnable',
  'send',
  'tokensMake',
  'tokensRetire',
];
/** It never ends: ops-stream.e2e-spec.ts. */
const STREAM = 'eventStreamFollow';

const document = JSON.parse(
  readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
) as {
  readonly paths: Record<
    string,
    Record<string, { operationId: string; responses: object; 'x-role': Role }>
  >;
};
const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;
const urlOf = (path: string): string => path.replaceAll(/\{\w+\}/g, 'nobody');
const formOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split(/\{\w+\}/)
      .map((part) => RegExp.escape(part))
      .join('[^/]+')}$`,
  );
const paths = Object.keys(document.paths).filter((path) => path.startsWith('/ops/'));
const operations = paths.flatMap((path) =>
  Object.entries(document.paths[path]!).map(
    ([verb, { operationId: id, responses, 'x-role': role }]): Operation => ({
      id,
      method: verb.toUpperCase() as Method,
      url: urlOf(path) + (path.endsWith('/secret-windows') ? '?hook=nobody' : ''),
      answers: Object.keys(responses),
      role,
    }),
  ),
);
const guarded = operations.filter(({ url }) => url !== '/ops/api/session');
const readings = guarded.filter(
  ({ id, method, answers }) =>
    method === 'GET' && !answers.includes('404') && ![STREAM, ...NOT_HERE].includes(id),
);
const lookups = guarded.filter(
  ({ id, answers }) => answers.includes('404') && !NOT_HERE.includes(id),
);

const OTHERS = ROLES.map((role) => ({
  id: `who-may-${role}`,
  role,
  token: `${role}-token-of-good-length`,
}));
const BELOW = { read: [], operate: ['read'], configure: ['read', 'operate'] } as const;

const named = (some: readonly Operation[]): [string, Operation][] =>
  some.map((one) => [one.id, one]);

let service: OperatedService;
const TOKENS = { operator: OPERATOR_TOKEN, metrics: METRICS_TOKEN, others: OTHERS };
beforeAll(async () => (service = await OperatedService.start({ tokens: () => TOKENS })));
afterEach(() => {
  const { ledger, requests, channel } = service;
  for (const told of [ledger.journal, requests.journal, channel.messages]) told.length = 0;
});
afterAll(() => service[Symbol.asyncDispose]());

/** Another address of this machine each time: failures of one are counted. */
let asked = 0;
function ask({ id, method, url }: Operation, how: Asked): ReturnType<OperatedService['ask']> {
  asked += 1;
  const from = `127.0.${Math.floor(asked / 250)}.${(asked % 250) + 1}`;
  return service.ask(method, url, { body: BODIES[id], from, ...how });
}

it('there are operations', () => {
  expect(guarded.length).toBeGreaterThan(40);
  expect(readings.length).toBeGreaterThan(10);
  expect(lookups.length).toBeGreaterThan(10);
});

describe('nobody but the operator', () => {
  const NOBODY: readonly (readonly [Asked, number, string])[] = [
    [{ token: null }, 401, 'operator_unauthorized'],
    [{ token: 'wrong' }, 401, 'operator_unauthorized'],
    [{ token: HOOK_TOKEN }, 401, 'operator_unauthorized'],
    [{ from: '192.0.2.7' }, 403, 'loopback_only'],
    [{ headers: { host: 'evil.example' } }, 421, 'host_not_allowed'],
  ];

  it.each(named(guarded))('%s', async (id, operation) => {
    const isForScrapers = id === 'metricsScrape';
    const scraper = [{ token: METRICS_TOKEN }, 401, 'operator_unauthorized'] as const;
    for (const [how, status, code] of isForScrapers ? NOBODY : [...NOBODY, scraper]) {
      const answer = await ask(operation, how);
      expect({ how, ...answer }).toMatchObject({ how, status, body: { ok: false, code } });
      expect(answer.headers['cache-control']).toBe('no-store');
    }
    expect(service.ledger.journal).toEqual([]);
    expect(service.requests.journal).toEqual([]);
    expect(service.channel.messages).toEqual([]);
  });
});

describe('a token with a role', () => {
  const unread = guarded.filter(({ role }) => role !== 'read');
  // A trial looks at what events would have become, and has no effect.
  const changing = unread.filter(({ method, id }) => method !== 'GET' && id !== 'mappingsTrial');
  const tokenOf = (role: Role) => ({ token: `${role}-token-of-good-length` });

  it('is needed for everything that changes something', () => {
    const looking = guarded.filter(({ role, method }) => role === 'read' && method !== 'GET');
    expect(looking.map(({ id }) => id)).toEqual(['preview']);
    expect(Object.groupBy(unread, ({ role }) => role)).toMatchObject({
      operate: expect.arrayContaining([
        expect.objectContaining({ id: 'eventsRetry' }),
        expect.objectContaining({ id: 'intakePause' }),
      ]),
      configure: expect.arrayContaining([
        expect.objectContaining({ id: 'tokensMake' }),
        // What was taken is a secret.
        expect.objectContaining({ id: 'secretWindowsShow' }),
      ]),
    });
  });

  it.each(named(unread))('that is too low does not do %s, and nothing happens', async (_, one) => {
    for (const role of BELOW[one.role]) {
      service.ledger.audit.length = 0;
      const { status, body } = await ask(one, tokenOf(role));
      expect({ role, status, ...body }).toEqual({
        role,
        status: 403,
        ok: false,
        code: 'role_too_low',
        error: `The role of this token does not allow that: who-may-${role} may ${role}, and this needs ${one.role} (ops.tokens).`,
      });
    }
    expect(service.ledger.journal).toEqual([]);
    expect(service.requests.journal).toEqual([]);
    expect(service.channel.messages).toEqual([]);
    expect(service.ledger.audit).toEqual([]);
  });

  it.each(named(readings))('that reads is told %s', async (_, operation) => {
    expect((await ask(operation, tokenOf('read'))).status).toBe(
      operation.role === 'read' ? 200 : 403,
    );
  });

  it.each(named(changing))('that does %s leaves an entry, done or refused', async (_, one) => {
    service.ledger.audit.length = 0;
    const { status, body } = await ask(one, tokenOf(one.role));
    expect([401, 403]).not.toContain(status);
    const [entry, ...others] = service.ledger.audit;
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      actor: `who-may-${one.role}`,
      client: expect.stringMatching(/^127\.0\./),
      operation: expect.stringMatching(new RegExp(`^${one.method} /ops/api/[a-z]`)),
      outcome: status < 300 ? 'done' : body['code'],
    });
    if (one.url.includes('nobody')) expect(entry!.subject).toContain('nobody');
  });
});

describe('the operator', () => {
  it.each(named(readings))('is told %s', async (_, operation) => {
    expect((await ask(operation, {})).status).toBe(200);
  });

  it.each(named(lookups))('hears of %s what is not there', async (_, operation) => {
    const { status, body } = await ask(operation, {});
    expect({ status, ...body }).toMatchObject({
      status: 404,
      ok: false,
      error: expect.any(String),
    });
  });

  it.each(paths)('%s has no other method', async (path) => {
    // `/events/retry` is an `/events/{id}`, too.
    const same = paths.filter((one) => formOf(one).test(path));
    const known = same.flatMap((one) => Object.keys(document.paths[one]!));
    for (const method of METHODS.filter((one) => !known.includes(one.toLowerCase()))) {
      const { statusCode } = await service.app.inject({ method, url: urlOf(path) });
      expect({ method, statusCode }).toEqual({ method, statusCode: 404 });
    }
  });
});
