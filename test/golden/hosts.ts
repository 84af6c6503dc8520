import { gzipSync } from 'node:zlib';
import { ValidationPipe, VersioningType } from '@nestjs/common';
import { TOKEN, around } from './host.ts';
import type { GoldenHost } from './host.ts';
import { hostsInAState } from './hosts-in-a-state.ts';
import {
  Public,
  brokenGuard,
  interceptors,
  onEachRoute,
  onEveryRequest,
  preParsing,
  publicOnly,
  shoutingPipe,
  teapotFilter,
} from './plugins.ts';
import { actions } from './requests/actions.ts';
import { everywhere, everywhereWithAnEnd } from './requests/everywhere.ts';
import { bodies, paths } from './requests/paths-and-bodies.ts';
import { each, wake } from './requests/request.ts';
import type { Requests, Step } from './requests/request.ts';
import { tokensAndMethods } from './requests/tokens-and-methods.ts';

const OTHER_TOKEN = 'golden-hook-token-of-the-other-ingress';

const marked = { decorators: [Public()] };

const plain: readonly GoldenHost[] = [
  around('plain', {
    requests: { ...everywhere, ...tokensAndMethods, ...paths, ...bodies, ...actions },
  }),
  around('catch-all', {
    requests: { ...everywhere, ...paths },
    ingresses: [{ mappings: [{ id: 'all', match: {}, messageTemplate: 'at {{ path }}' }] }],
  }),
  around('disabled', { ingresses: [{ enabled: false }] }),
];

const guards: readonly GoldenHost[] = [
  around('guard-marked', {
    ingresses: [marked],
    prepare: (app) => app.useGlobalGuards(publicOnly),
  }),
  around('guard-unmarked', { prepare: (app) => app.useGlobalGuards(publicOnly) }),
  around('guard-broken', { prepare: (app) => app.useGlobalGuards(brokenGuard) }),
];

const pipelines: readonly GoldenHost[] = [
  ...Object.entries(interceptors).map(([name, interceptor]) =>
    around(`interceptor-${name}`, { prepare: (app) => app.useGlobalInterceptors(interceptor) }),
  ),
  around('validation-pipe', {
    prepare: (app) =>
      app.useGlobalPipes(
        new ValidationPipe({
          transform: true,
          whitelist: true,
          forbidNonWhitelisted: true,
          validateCustomDecorators: true,
        }),
      ),
  }),
  around('pipe-and-filter', {
    prepare: (app) => app.useGlobalPipes(shoutingPipe).useGlobalFilters(teapotFilter),
  }),
];

const prefixes: readonly GoldenHost[] = [
  ...['api', '/api', '/api/'].map((prefix) =>
    around(`prefix-${prefix.replaceAll('/', '_')}`, {
      prefix: '/api/hooks',
      prepare: (app) => app.setGlobalPrefix(prefix),
    }),
  ),
  around('prefix-with-exclude', {
    prepare: (app) => app.setGlobalPrefix('api', { exclude: ['hooks', 'hooks/*path'] }),
  }),
  around('prefix-like-a-version', {
    prefix: '/api/v2/hooks',
    prepare: (app) => app.setGlobalPrefix('api/v2'),
  }),
  around('prefix-with-a-parameter', {
    prefix: '/acme/hooks',
    prepare: (app) => app.setGlobalPrefix(':tenant'),
  }),
  around('path-with-a-parameter', {
    prefix: '/acme/in',
    ingresses: [{ path: '/:tenant/in/' }],
  }),
];

const versions: readonly GoldenHost[] = [
  around('version-uri-bare', {
    requests: everywhereWithAnEnd,
    prepare: (app) => app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' }),
  }),
  around('version-header', {
    requests: everywhereWithAnEnd,
    prepare: (app) =>
      app.enableVersioning({
        type: VersioningType.HEADER,
        header: 'x-version',
        defaultVersion: '1',
      }),
  }),
  around('version-custom', {
    requests: everywhereWithAnEnd,
    prepare: (app) =>
      app.enableVersioning({
        type: VersioningType.CUSTOM,
        extractor: (request) =>
          (request as { headers: Record<string, string> }).headers['x-version'] ?? '',
        defaultVersion: '1',
      }),
  }),
  around('version-media-type', {
    requests: everywhereWithAnEnd,
    prepare: (app) =>
      app.enableVersioning({ type: VersioningType.MEDIA_TYPE, key: 'v=', defaultVersion: '1' }),
  }),
];

const routers: readonly GoldenHost[] = Object.entries({
  'any-case': { caseSensitive: false },
  'trailing-slash': { ignoreTrailingSlash: true },
  'duplicate-slashes': { ignoreDuplicateSlashes: true },
  semicolon: { useSemicolonDelimiter: true },
  'all-of-them': {
    caseSensitive: false,
    ignoreTrailingSlash: true,
    ignoreDuplicateSlashes: true,
    useSemicolonDelimiter: true,
  },
}).map(([name, routerOptions]) => ({
  name: `router-${name}`,
  requests: { ...everywhere, ...paths },
  adapter: { routerOptions },
}));

const gzipped = (body: string): Step =>
  wake({ body: gzipSync(body), headers: { 'content-encoding': 'gzip' } });

const compressed: Requests = {
  'gzip: a wake': gzipped('{"text":"packed"}'),
  'gzip: no JSON': gzipped('{'),
  'gzip: too many bytes once unpacked': gzipped(' '.repeat(300_000)),
};

const plugins: readonly GoldenHost[] = [
  ...Object.entries(preParsing).flatMap(([name, hook]) =>
    [onEachRoute, onEveryRequest].map((add) =>
      around(`plugin-${name}${add === onEachRoute ? '' : '-on-every-request'}`, {
        requests: { ...everywhere, ...compressed },
        prepare: (app) => add(app, hook),
      }),
    ),
  ),
  around('plugin-cors', { prepare: (app) => app.enableCors() }),
  around('body-limit-of-10-bytes', { adapter: { bodyLimit: 10 } }),
];

const strangers: Requests = each('token of', { one: TOKEN, two: OTHER_TOKEN }, (token) =>
  wake({ headers: { authorization: `Bearer ${token}` } }),
);

/** Two ingresses in one application, of which one is marked for the host's guard. */
const two: readonly GoldenHost[] = ['/one', '/two'].map((prefix) => ({
  name: prefix === '/one' ? 'two-ingresses-marked' : 'two-ingresses-unmarked',
  requests: { ...everywhere, ...strangers },
  prefix,
  token: prefix === '/one' ? TOKEN : OTHER_TOKEN,
  ingresses: [
    { path: '/one', ...marked },
    { path: '/two', token: OTHER_TOKEN },
  ],
  prepare: (app) => app.useGlobalGuards(publicOnly),
}));

export const hosts: readonly GoldenHost[] = [
  ...plain,
  ...hostsInAState,
  ...guards,
  ...pipelines,
  ...prefixes,
  ...versions,
  ...routers,
  ...plugins,
  ...two,
];
