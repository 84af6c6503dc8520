import { agent, eachOf, post, wake } from './request.ts';
import type { Requests } from './request.ts';

const none = { authorization: null };
const wrong = { authorization: 'Bearer wrong' };
const same = { headers: { 'idempotency-key': 'same' } };
const other = { headers: { 'idempotency-key': 'other' } };
const PATHS = ['', '/', '//wake', '/wake/', '/w%61ke', '/WAKE', '/wake;x=1', '/wake?x=1', '/%zz'];

/** The compact list: what every host is asked, whatever it does around the hooks. */
export const everywhere: Requests = {
  wake: wake(),
  'wake: a mode and an unknown field': post('~/wake', { text: ' x ', mode: 'now', a: 1 }),
  'wake: a text that is no text': post('~/wake', { text: 5 }),
  'wake: an empty body': wake({ body: '' }),
  'wake: no body': {},
  'wake: an array': post('~/wake', [{ text: 'x' }]),
  'wake: in chunks': { chunks: ['{"text":', '"in chunks"}'] },
  agent: agent(),
  'agent: wrong fields': agent({ message: ' ', deliver: 'no', timeoutSeconds: 0, extra: {} }),
  'mapped: a wake': post('~/note?team=ops', { text: 'hi' }, { headers: { 'x-event': 'E' } }),
  'mapped: one run per item': post('~/list', { items: [{ title: 'a' }, { title: 'b' }] }),
  'mapped: an empty list is 204': post('~/list', { items: [] }),
  'mapped: a path of two segments': post('~/a/b', { text: 'deep' }),
  'mapped: no such hook': post('~/nothing-here'),
  ...eachOf(
    'path',
    PATHS.map((path) => `~${path}`),
    (target) => wake({ target }),
  ),
  'path: /HOOKS/wake': wake({ target: '/HOOKS/wake' }),
  'path: beside the prefix': wake({ target: '~x/wake' }),
  ...eachOf('method', ['GET', 'HEAD', 'PUT', 'OPTIONS'], (method) => ({ method })),
  'method: GET without a token': { method: 'GET', headers: none },
  'query: a token': wake({ target: '~/wake?token=x' }),
  'token: in x-gateway-token': wake({ headers: { ...none, 'x-gateway-token': '{token}' } }),
  'token: none': wake({ headers: none }),
  'token: wrong': wake({ headers: wrong }),
  'token: wrong, for no such hook': post('~/nothing-here', {}, { headers: wrong }),
  'token: wrong, 10 MB announced and none sent': {
    headers: { ...wrong, 'content-length': '10000000' },
    isEndless: true,
  },
  'type: text/plain': wake({ headers: { 'content-type': 'text/plain' } }),
  'type: gzip that is none': wake({ headers: { 'content-encoding': 'gzip' } }),
  'body: no JSON': wake({ body: '{"text":' }),
  'body: one byte too many by content-length': post('~/note', 'x'.repeat(262_143)),
  'body: one byte too many in chunks': {
    target: '~/note',
    chunks: ['x'.repeat(262_144), 'x'],
    isEndless: true,
  },
  'idempotency: twice the same': [wake(same), wake(same)],
  'idempotency: another body': [agent({}, other), agent({ name: 'B' }, other)],
  'wire: Expect: 100-continue': wake({ headers: { expect: '100-continue' } }),
  'wire: three on one connection': [
    wake(),
    wake({ headers: wrong, isKeptAlive: true }),
    agent({}, { isKeptAlive: true }),
  ],
};

/** For hosts whose own 404 is the answer: they wait for the end of every body. */
export const everywhereWithAnEnd: Requests = Object.fromEntries(
  Object.entries(everywhere).filter(([, steps]) => !('isEndless' in steps)),
);
