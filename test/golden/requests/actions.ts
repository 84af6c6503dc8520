import { agent, each, post, wake } from './request.ts';
import type { Requests, Step } from './request.ts';

const WAKES: Record<string, object> = {
  'next-heartbeat': { text: 'x', mode: 'next-heartbeat' },
  'a mode in capitals': { text: 'x', mode: 'NOW' },
  'a blank mode': { text: 'x', mode: ' ' },
  'a blank text': { text: ' \n' },
  'text: null': { text: null },
  'twelve unknown fields': { text: 'x', ...Object.fromEntries('abcdefghijkl'.split('').entries()) },
  'unknown fields with odd names': { text: 'x', 'a\nb': 1, toString: 2 },
};

const AGENTS: Record<string, object> = {
  'every field': {
    name: ' CI ',
    agentId: ' MAIN ',
    wakeMode: 'next-heartbeat',
    deliver: true,
    channel: ' CHAN_2 ',
    to: '+1',
    model: 'local/llama3',
    thinking: 'high',
    timeoutSeconds: 0.5,
  },
  'optional fields null': { name: null, agentId: null, deliver: null, timeoutSeconds: null },
  'optional texts blank': { name: '', agentId: ' ', to: '', model: ' ', sessionKey: '' },
  'a number as message': { message: 5 },
  'an unknown agentId': { agentId: 'nobody' },
  'a sessionKey': { sessionKey: 'hook:mine' },
  'a wrong wakeMode': { wakeMode: 'later' },
  'a wrong channel': { channel: 'chan_9' },
  'channel: last': { channel: 'last' },
  'deliver: false': { deliver: false },
  'a wrong thinking': { thinking: 'deep' },
  'timeoutSeconds: -1': { timeoutSeconds: -1 },
  'timeoutSeconds: "5"': { timeoutSeconds: '5' },
  'timeoutSeconds: 86400': { timeoutSeconds: 86_400 },
  'timeoutSeconds: 86401': { timeoutSeconds: 86_401 },
  'a name of several lines': { name: `a\nb\t${'n'.repeat(250)}` },
  'an unknown field': { channelId: 'chan_1' },
  allowUnsafeExternalContent: { allowUnsafeExternalContent: true },
  'idempotencyKey of 257 characters': { idempotencyKey: 'k'.repeat(257) },
  'idempotencyKey: 5': { idempotencyKey: 5 },
};

const secretive = { headers: { 'x-event': 'push', 'x-api-key': 'secret' } };

const mapped: Requests = {
  'mapped: templates': post(
    '~/build?team=a&team=b&api_key=s',
    { build: { number: 18 } },
    secretive,
  ),
  'mapped: by its source': post('~/sourced', { source: 'shop', text: 'x' }),
  'mapped: by another source': post('~/sourced', { source: 'other' }),
  'mapped: a template that finds nothing': post('~/note', {}),
  'mapped: a derived session key': post('~/keyed', { id: 'ü 1' }),
  'mapped: a session key that finds nothing': post('~/keyed', {}),
  'mapped: forEach without a list': post('~/list', { items: 5 }),
  'mapped: forEach over 201 items': post('~/list', { items: Array.from({ length: 201 }) }),
  'mapped: forEach over no objects': post('~/list', { items: [1, null] }),
  'mapped: the mail preset': post('~/mail', {
    messages: [{ id: 'm1', from: 'a@b.c', subject: 's' }],
  }),
  'mapped: an agent that is unknown': post('~/elsewhere', {}),
  'mapped: a transform that says null': post('~/says-null'),
  'mapped: a transform that says undefined': post('~/says-undefined'),
  'mapped: a transform that throws': post('~/throws'),
  'mapped: a transform that says nonsense': post('~/says-nonsense'),
  'mapped: a transform that makes two actions': post('~/makes-two', { a: 1 }),
  'mapped: a transform that never ends': post('~/never-ends'),
};

const keyed = (key: string, more: NonNullable<Step['headers']> = {}): Step => ({
  headers: { 'idempotency-key': key, ...more },
});
const long = 'k'.repeat(257);
const gateway = { 'x-gateway-idempotency-key': 'g' };
const items = (...ids: number[]): object => ({ items: ids.map((id) => ({ id })) });

const idempotency: Requests = {
  'key: of the payload': [agent({ idempotencyKey: 'p' }), agent({ idempotencyKey: 'p' })],
  'key: the header wins': [
    agent({ idempotencyKey: 'q' }, keyed('h')),
    agent({ idempotencyKey: 'q' }),
  ],
  'key: x-gateway-idempotency-key': [
    wake({ headers: gateway }),
    wake(keyed(' g ')),
    wake(keyed(' ', gateway)),
  ],
  'key: another body to wake': [wake(keyed('w')), wake({ ...keyed('w'), body: '{"text":"b"}' })],
  'key: on another path': [wake(keyed('o')), agent({}, keyed('o')), post('~/note', {}, keyed('o'))],
  'key: 256 characters': wake(keyed(long.slice(1))),
  'key: 257 characters': wake(keyed(long)),
  'key: 257 characters, no such hook': post('~/nothing-here', {}, keyed(long)),
  'key: 257 characters, no JSON': wake({ ...keyed(long), body: '{' }),
  'key: not remembered of a refusal': [wake({ ...keyed('r'), body: '{}' }), wake(keyed('r'))],
  'key: two headers': wake({ headers: { 'idempotency-key': ['a', 'b'] } }),
  'key: of nothing to do': [
    post('~/list', items(), keyed('l')),
    post('~/list', items(), keyed('l')),
  ],
  'key: of a failure': [post('~/throws', {}, keyed('t')), post('~/throws', {}, keyed('t'))],
  'key: dedupeKey': [
    post('~/dedupe', { id: 1 }),
    post('~/dedupe', { id: 1 }),
    post('~/dedupe', { id: 1, a: 2 }),
  ],
  'key: dedupeKey per item': [post('~/list', items(1)), post('~/list', items(1, 2))],
};

export const actions: Requests = {
  ...each('wake', WAKES, (payload) => post('~/wake', payload)),
  ...each('agent', AGENTS, (fields) => agent(fields)),
  ...mapped,
  ...idempotency,
};
