import { gzipSync } from 'node:zlib';
import { ValidationPipe, VersioningType } from '@nestjs/common';
import type { VersioningOptions } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  brokenGuard,
  interceptors,
  onEachRoute,
  onEveryRequest,
  preParsing,
  shoutingPipe,
  teapotFilter,
} from '../support/host-plugins.ts';
import { TOKEN, openIngress } from '../support/ingress-host.ts';
import type { Host, Ingress } from '../support/ingress-host.ts';
import { Wire, bytesOf } from '../support/wire.ts';
import type { WireAnswer, WireRequest } from '../support/wire.ts';

// What no HTTP client would send, byte by byte, and what is answered. An answer is written as its status, its code, and the
// headers that a sender acts on; `close` says that the connection ends with it.

const none = { authorization: null };
const wrong = { authorization: 'Bearer wrong' };

function wake(changes: WireRequest = {}): WireRequest {
  return { body: '{"text":"x"}', ...changes };
}

function at(target: string): WireRequest {
  return wake({ target });
}

function sent(headers: NonNullable<WireRequest['headers']>): WireRequest {
  return wake({ headers });
}

const UNAUTHORIZED = '401 unauthorized www-authenticate=Bearer';
const NOT_POST = '405 method_not_allowed allow=POST';

type Row = readonly [title: string, asked: WireRequest | readonly WireRequest[], told: string];

const ROWS: readonly Row[] = [
  ['a wake', wake(), '200'],
  ['HTTP/1.0', wake({ version: '1.0' }), '200 close'],
  [
    'HTTP/1.0 that keeps its connection',
    wake({ version: '1.0', headers: { connection: 'keep-alive' } }),
    '200',
  ],
  ['HTTP/1.0 without a host', wake({ version: '1.0', headers: { host: null } }), '200 close'],
  ['no host', sent({ host: null }), '400 close'],
  ['two hosts', sent({ host: ['a.test', 'b.test'] }), '200'],
  ['connection: close', sent({ connection: 'close' }), '200 close'],
  [
    'connection: close, and a wrong token',
    sent({ connection: 'close', ...wrong }),
    `${UNAUTHORIZED} close`,
  ],
  ['an upgrade', sent({ connection: 'upgrade', upgrade: 'websocket' }), '200'],
  ['Expect: 100-continue', sent({ expect: '100-continue' }), '200'],
  ['100-continue and a wrong token', sent({ expect: '100-continue', ...wrong }), UNAUTHORIZED],
  ['Expect: miracles', sent({ expect: 'miracles' }), '417'],
  ['a length and chunks', { headers: { 'content-length': '2' }, chunks: ['{}'] }, '400'],
  ['a length that is no number', sent({ 'content-length': 'x' }), '400'],
  [
    'gzip, chunked',
    { headers: { 'transfer-encoding': 'gzip, chunked' }, chunks: ['{}'] },
    '415 unsupported_media_type close',
  ],
  ['chunks', { chunks: ['{"text":', '"in chunks"}'] }, '200'],
  ['no bytes in chunks', { target: '/hooks/note', chunks: [] }, '200'],
  [
    'three on one connection',
    [wake(), sent(wrong), wake({ target: '/hooks/note' })],
    `200 | ${UNAUTHORIZED} | 200`,
  ],
  ['no JSON, then a good one', [wake({ body: '{' }), wake()], '400 invalid_json | 200'],
  ['no such hook, then a good one', [at('/hooks/nobody'), wake()], '404 unknown_hook | 200'],

  [
    'a wrong token, 10 MB announced and none sent',
    { headers: { ...wrong, 'content-length': '10000000' }, isEndless: true },
    `${UNAUTHORIZED} close`,
  ],
  [
    'too many bytes announced and none sent',
    { headers: { 'content-length': '262145' }, isEndless: true },
    '413 payload_too_large close',
  ],
  [
    'one byte too many in chunks',
    { chunks: ['x'.repeat(262_144), 'x'], isEndless: true },
    '413 payload_too_large close',
  ],
  [
    'too many bytes of the wrong type',
    { headers: { 'content-type': 'text/xml', 'content-length': '262145' }, isEndless: true },
    '415 unsupported_media_type close',
  ],
  [
    'a small body of the wrong type that is still under way',
    { headers: { 'content-type': 'text/xml', 'content-length': '60' }, isEndless: true },
    '415 unsupported_media_type close',
  ],
  [
    'a small body behind a wrong token that is still under way',
    { headers: { ...wrong, 'content-length': '60' }, isEndless: true },
    UNAUTHORIZED,
  ],

  ['GET', { method: 'GET' }, NOT_POST],
  ['HEAD', { method: 'HEAD' }, '405 allow=POST'],
  ['GET without a token', { method: 'GET', headers: none }, NOT_POST],
  ['PUT with a body', wake({ method: 'PUT' }), NOT_POST],
  ['OPTIONS', { method: 'OPTIONS' }, NOT_POST],
  ['TRACE', { method: 'TRACE' }, NOT_POST],
  ['QUERY', { method: 'QUERY' }, NOT_POST],
  ['PROPFIND', { method: 'PROPFIND' }, NOT_POST],
  ['PURGE', { method: 'PURGE' }, '404'],
  ['CONNECT', { method: 'CONNECT' }, 'closed'],
  ['post', { method: 'post' }, '400'],

  ['the prefix', at('/hooks'), '404 unknown_hook'],
  ['the prefix and slashes', at('/hooks///'), '404 unknown_hook'],
  ['a slash more', at('/hooks//wake'), '404 unknown_hook'],
  ['a slash behind', at('/hooks/wake/'), '404 unknown_hook'],
  ['an encoded letter', at('/hooks/w%61ke'), '404 unknown_hook'],
  ['capitals', at('/hooks/WAKE'), '404 unknown_hook'],
  ['a parameter of the path', at('/hooks/wake;x=1'), '404 unknown_hook'],
  ['a dot', at('/hooks/./wake'), '404 unknown_hook'],
  ['two dots', at('/hooks/x/../wake'), '404 unknown_hook'],
  ['a null byte', at('/hooks/wake%00'), '404 unknown_hook'],
  ['an encoded slash, and a wrong token', { ...at('/hooks/a%2Fb'), headers: wrong }, UNAUTHORIZED],
  ['a fragment', at('/hooks/wake#part'), '200'],
  ['a query', at('/hooks/wake?'), '200'],
  ['a broken escape', at('/hooks/%zz'), '400 FST_ERR_BAD_URL'],
  ['the prefix in capitals', at('/HOOKS/wake'), '404'],
  ['the prefix encoded', at('/hook%73/wake'), '404'],
  ['two dots before the prefix', at('/x/../hooks/wake'), '404'],
  ['a whole URL', at('http://gateway.test/hooks/wake'), '200'],
  ['the URL of another host', at('http://other.test:99/hooks/wake?x=1'), '200'],
  ['no path', at('hooks/wake'), '400'],
  ['an asterisk', at('*'), '404'],

  ['a token in the fragment', at('/hooks/wake#token=x'), '400 token_in_query'],
  ['a token in the query, encoded', at('/hooks/wake?%74oken=x'), '400 token_in_query'],
  ['a token behind a wrong method', { method: 'GET', ...at('/hooks?token') }, '400 token_in_query'],
  ['Bearer and a tab', sent({ authorization: 'Bearer\t{token}' }), '200'],
  ['Bearer without a blank', sent({ authorization: 'Bearer{token}' }), UNAUTHORIZED],
  ['no scheme', sent({ authorization: '{token}' }), UNAUTHORIZED],
  [
    'a right token, then a wrong one',
    sent({ authorization: ['Bearer {token}', 'Bearer no'] }),
    '200',
  ],
  [
    'a wrong token, then a right one',
    sent({ authorization: ['Bearer no', 'Bearer {token}'] }),
    UNAUTHORIZED,
  ],
  [
    'x-gateway-token twice',
    sent({ ...none, 'x-gateway-token': ['{token}', '{token}'] }),
    UNAUTHORIZED,
  ],
  ['no token', sent(none), UNAUTHORIZED],
  ['Basic, its password the token', sent({ authorization: `Basic ${btoa(`u:${TOKEN}`)}` }), '200'],
  ['X-GATEWAY-TOKEN', sent({ ...none, 'X-GATEWAY-TOKEN': '{token}' }), '200'],
  [
    'a wrong Bearer, right x-gateway-token',
    sent({ ...wrong, 'x-gateway-token': '{token}' }),
    UNAUTHORIZED,
  ],
];

const COMPACT: Readonly<Record<string, string>> = Object.fromEntries(
  ROWS.filter(([title]) =>
    [
      'a wake',
      'chunks',
      'GET',
      'a slash behind',
      'capitals',
      'an encoded letter',
      'a token in the fragment',
      'no such hook, then a good one',
      'no JSON, then a good one',
      'three on one connection',
      'one byte too many in chunks',
      'too many bytes of the wrong type',
      'a wrong token, 10 MB announced and none sent',
    ].includes(title),
  ).map(([title, , told]) => [title, told]),
);

let ingress: Ingress;

function open(host: Host = {}): Promise<Ingress> {
  const mappings = [{ id: 'note', action: 'wake', textTemplate: 'note' } as const];
  return openIngress({ ...host, options: { mappings, maxBodyBytes: 262_144 } });
}

async function ask(asked: WireRequest | readonly WireRequest[]): Promise<string> {
  const wire = new Wire(Number(new URL(ingress.url).port));
  const told: string[] = [];
  for (const request of [asked].flat()) {
    wire.send(bytesOf(request, TOKEN));
    told.push(toWords(await wire.answer(request.method ?? 'POST')));
  }
  wire.close();
  // Remembered failures would lock this address out.
  ingress.clock.advance(3_600_000);
  return told.join(' | ');
}

function toWords(answer: WireAnswer | null): string {
  if (answer === null) return 'closed';
  const { status, headers, body } = answer;
  const code: unknown = body.startsWith('{') ? JSON.parse(body).code : undefined;
  const named = ['www-authenticate', 'allow'].flatMap((name) =>
    headers[name] === undefined ? [] : [`${name}=${headers[name]}`],
  );
  const isClosed = headers['connection'] === 'close';
  const words = [String(status), ...(typeof code === 'string' ? [code] : []), ...named];
  return [...words, ...(isClosed ? ['close'] : [])].join(' ');
}

async function askCompact(): Promise<Record<string, string>> {
  const told: Record<string, string> = {};
  for (const [title, asked] of ROWS) {
    if (Object.hasOwn(COMPACT, title)) told[title] = await ask(asked);
  }
  return told;
}

describe('On the wire', () => {
  beforeAll(async () => {
    ingress = await open();
  });
  afterAll(() => ingress.close());

  it.each(ROWS)('%s', async (_title, asked, told) => {
    expect(await ask(asked)).toBe(told);
  });

  it('100-continue is said before the answer', async () => {
    const wire = new Wire(Number(new URL(ingress.url).port));
    wire.send(bytesOf(sent({ expect: '100-continue' }), TOKEN));
    expect(await wire.answer('POST')).toMatchObject({ status: 200, interim: [100] });
    wire.close();
  });
});

const strict = new ValidationPipe({
  transform: true,
  whitelist: true,
  forbidNonWhitelisted: true,
  validateCustomDecorators: true,
});

const VERSIONS: readonly VersioningOptions[] = [
  { type: VersioningType.URI, defaultVersion: '1' },
  { type: VersioningType.HEADER, header: 'x-version', defaultVersion: '1' },
  { type: VersioningType.MEDIA_TYPE, key: 'v=', defaultVersion: '1' },
  { type: VersioningType.CUSTOM, extractor: () => '', defaultVersion: '1' },
];

const HOSTS: readonly (readonly [string, Host])[] = [
  ...(['map', 'catch-error', 'retry', 'timeout'] as const).map((name) =>
    prepared(`an interceptor: ${name}`, (app) => app.useGlobalInterceptors(interceptors[name])),
  ),
  prepared('a strict pipe', (app) => app.useGlobalPipes(strict)),
  prepared('a pipe and a filter', (app) =>
    app.useGlobalPipes(shoutingPipe).useGlobalFilters(teapotFilter),
  ),
  ...Object.entries(preParsing).flatMap(([name, hook]) => [
    prepared(`a plugin on each route: ${name}`, (app) => onEachRoute(app, hook)),
    prepared(`a plugin on every request: ${name}`, (app) => onEveryRequest(app, hook)),
  ]),
  prepared('CORS', (app) => app.enableCors()),
  ...VERSIONS.map((version) =>
    prepared(`versions: ${VersioningType[version.type]}`, (app) => app.enableVersioning(version)),
  ),
  ['a bodyLimit of 10 bytes', { adapter: { bodyLimit: 10 } }],
  ...[
    { caseSensitive: false },
    { ignoreTrailingSlash: true },
    { ignoreDuplicateSlashes: true },
    { useSemicolonDelimiter: true },
  ].map((routerOptions): [string, Host] => [
    `a router: ${Object.keys(routerOptions).join()}`,
    { adapter: { routerOptions } },
  ]),
];

function prepared(
  name: string,
  prepare: (app: NestFastifyApplication) => unknown,
): readonly [string, Host] {
  return [name, { prepare }];
}

describe('A host around the hooks changes no answer', () => {
  afterEach(() => ingress.close());

  it.each(HOSTS)('%s', async (_name, host) => {
    ingress = await open(host);
    expect(await askCompact()).toEqual(COMPACT);
  });

  it.each(['swallow', 'cached'] as const)(
    'but for an interceptor that never calls the handler (%s): what the guard let in is 500',
    async (name) => {
      ingress = await open({ prepare: (app) => app.useGlobalInterceptors(interceptors[name]) });
      expect(await ask(wake())).toBe('500 internal_error');
      expect(await ask(wake({ body: '{' }))).toBe('500 internal_error');
      expect(await ask(sent(wrong))).toBe(UNAUTHORIZED);
      expect(ingress.intake.requests).toEqual([]);
    },
  );

  it('but for a guard that breaks: 500, whoever asks', async () => {
    ingress = await open({ prepare: (app) => app.useGlobalGuards(brokenGuard) });
    expect(await ask(wake())).toBe('500 internal_error');
    expect(await ask(sent(wrong))).toBe('500 internal_error');
    expect(ingress.intake.requests).toEqual([]);
  });

  it('a plugin that unpacks bodies leaves none that its header tells the truth of', async () => {
    ingress = await open({ prepare: (app) => onEveryRequest(app, preParsing.decompress) });
    const body = gzipSync('{"text":"packed"}');
    const packed = wake({ body, headers: { 'content-encoding': 'gzip' } });
    expect(await ask(packed)).toMatch(/^400 invalid_body/);
    expect(ingress.intake.requests).toEqual([]);
  });
});
