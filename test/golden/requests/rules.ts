import { agent, each, wake } from './request.ts';
import type { Requests, Step } from './request.ts';

/** For a host with rules about sessions, agents and models. */
export const policies: Requests = each(
  'policy',
  {
    'no session key': {},
    'a session key below the prefix': { sessionKey: ' HOOK:mine ' },
    'a session key elsewhere': { sessionKey: 'main' },
    'a session key of the agent': { sessionKey: 'agent:coder:hook:x' },
    'a session key of 257 characters': { sessionKey: `hook:${'k'.repeat(252)}` },
    'a session key with a line break': { sessionKey: 'hook:a\nb' },
    'an allowed agent': { agentId: 'Coder' },
    'a forbidden agent': { agentId: 'main' },
    'an unknown agent, in whose place a forbidden one runs': { agentId: 'nobody' },
    'an allowed model': { model: 'local/llama3' },
    'an alias': { model: 'fast' },
    'a forbidden model': { model: 'local/other' },
    'an unknown provider': { model: 'nowhere/x' },
  },
  (fields: object) => agent(fields),
);

const wrong = { authorization: 'Bearer no' };
const announced = { headers: { 'content-length': '60' }, isEndless: true };
const brief = `{"text":"${'x'.repeat(26)}","mode":"next-heartbeat"}`;

/** For a host that takes 64 bytes within 0.3 s and keeps one system event. */
export const limits: Requests = {
  'limit: 64 bytes': { body: brief.padEnd(64) },
  'limit: a second system event': wake(),
  'limit: 65 bytes': { body: brief.padEnd(65) },
  'limit: 65 bytes and a wrong token': { body: brief.padEnd(65), headers: wrong },
  'limit: 65 bytes in chunks': { chunks: [brief.padEnd(65)], isEndless: true },
  'limit: a body that stops half-way': wake(announced),
  'limit: a body that stops half-way, HTTP/1.0': wake({ ...announced, version: '1.0' }),
  'limit: chunks that stop half-way': { chunks: ['{'], isEndless: true },
};

const from = (address: string, forwardedFor = '', headers = {}): Step =>
  wake({ from: address, headers: { 'x-forwarded-for': forwardedFor, ...headers } });
const bad = (address: string, forwardedFor?: string): Step => from(address, forwardedFor, wrong);
const times = (count: number, step: Step): Step[] => Array.from({ length: count }, () => step);

/** For hosts that lock an address out after three failures. */
export const failures: Requests = {
  'throttle: failures, then a right token, then a failure': [
    ...times(4, bad('127.0.0.2')),
    from('127.0.0.2'),
    bad('127.0.0.2'),
  ],
  'throttle: another address': [bad('127.0.0.3'), from('127.0.0.3')],
  'throttle: what is no failure': [
    ...times(2, bad('127.0.0.4')),
    { ...bad('127.0.0.4'), target: '~/wake?token=x' },
    { ...bad('127.0.0.4'), method: 'GET' },
    ...times(2, bad('127.0.0.4')),
  ],
  'throttle: behind a trusted proxy': [
    ...times(4, bad('127.0.0.9', '192.0.2.1, 192.0.2.7')),
    bad('127.0.0.9', '192.0.2.8'),
    from('127.0.0.9', '192.0.2.7'),
  ],
  'throttle: behind an untrusted proxy': ['1', '2', '3', '4'].map((n) => bad('127.0.0.5', n)),
};
