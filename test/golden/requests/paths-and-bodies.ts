import { each, eachOf, post, wake } from './request.ts';
import type { Requests } from './request.ts';

const PATHS = String.raw`
  ~?x=1 ~// ~/// ~//a/b ~/a//b ~/a/b/ ~/a/b/c ~/a%2Fb ~/a%2fb
  ~/note/ ~/note// ~/NOTE ~/n%6Fte ~/note;x=1 ~/note?text=%41&text=b&a[]=1
  ~/agent/ ~/wake/x ~/wake%20 ~/wake%00 ~/wake% ~/wake? ~/wake#part
  ~/./wake ~/x/../wake ~/%2e%2e/wake ~/wake\x ~/waké ~%2Fwake
  ~/${'n'.repeat(300)} ~/${'d/'.repeat(60)}e
  /hook%73/wake //hooks/wake /x/../hooks/wake hooks/wake * /
  http://gateway.test/hooks/wake http://other.test:99/hooks/wake?x=1
`
  .trim()
  .split(/\s+/);

const TYPES: Record<string, string | null> = {
  none: null,
  'a blank one': '',
  'in capitals': 'APPLICATION/JSON',
  'charset=utf-8': 'application/json; charset=utf-8',
  'charset="UTF-8"': 'Application/JSON;charset="UTF-8"',
  'charset=latin1': 'application/json; charset=latin1',
  '+json': 'application/vnd.github+json',
  '+json with parameters': 'application/cloudevents+json; charset=utf8; v=1',
  'text/json': 'text/json',
  jsonp: 'application/jsonp',
  'two of them': 'application/json, text/plain',
  'x-www-form-urlencoded': 'application/x-www-form-urlencoded',
  'multipart/form-data': 'multipart/form-data; boundary=x',
};

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** To a mapping without templates, which takes any JSON and shows all of it. */
const BODIES: Record<string, string | Buffer> = {
  'nothing but blanks': ' \n ',
  'a byte order mark and an object': '\ufeff{"a":1}',
  'a byte order mark alone': '\ufeff',
  'two byte order marks': '\ufeff\ufeff{}',
  'no UTF-8': Buffer.from([0x22, 0xff, 0x22]),
  'UTF-16': Buffer.from('{"a":1}', 'utf16le'),
  'a lone surrogate, escaped': '{"a":"\\ud800"}',
  'all of Unicode': '{"ä":"😀\\u0041","\\u0000":"\u2028"}',
  'something after the value': '{"a":1}}',
  'a word': 'nope',
  'a bare control character': '{"a":"\u0001"}',
  'a wrong escape': '{"a":"\\x"}',
  'a missing comma': '{"a":1 "b":2}',
  'a missing colon': '{"a" 1}',
  'a trailing comma': '{"a":1,}',
  'a comment': '{"a":1} // x',
  '1000 levels': deep(1000),
  '1001 levels': deep(1001),
  '1001 levels inside of a string': JSON.stringify(deep(1001)),
  '__proto__ keys': '{"__proto__":{"x":1},"a":{"__proto__":2,"b":3},"\\u005f_proto__":4}',
  'constructor and toString': '{"constructor":{"prototype":1},"toString":2,"hasOwnProperty":3}',
  'duplicate keys': '{"a":1,"b":2,"a":3}',
  'odd numbers': '[12345678901234567890,1e400,-0,1.10,1E2]',
  'an array': '[1,{"a":null}]',
  'a number': '7',
  'a text': '"x"',
  null: 'null',
  false: 'false',
};

/** To wake and agent, which need an object with a text. */
const NO_OBJECTS = ['7', '"x"', 'null', '[]', 'true', '{}', '{"__proto__":{"text":"x"}}'];

const tooLong = { 'content-length': '262145' };

export const paths: Requests = {
  ...eachOf('path', PATHS, (target) => wake({ target })),
  'path: a%2Fb with a wrong token': wake({
    target: '~/a%2Fb',
    headers: { authorization: 'Bearer no' },
  }),
};

export const bodies: Requests = {
  ...each('type', TYPES, (type) => post('~/raw', { a: 1 }, { headers: { 'content-type': type } })),
  'type: text/plain without a body': { headers: { 'content-type': 'text/plain' } },
  ...eachOf('encoding', ['identity', 'br', 'GZIP', ' '], (encoding) =>
    post('~/raw', { a: 1 }, { headers: { 'content-encoding': encoding } }),
  ),
  ...each('body', BODIES, (body) => ({ target: '~/raw', body })),
  ...eachOf('body to wake', NO_OBJECTS, (body) => ({ target: '~/wake', body })),
  ...eachOf('body to agent', NO_OBJECTS, (body) => ({ target: '~/agent', body })),
  'body: duplicate texts to wake': { body: '{"text":"a","text":"b"}' },
  'body: the most bytes by content-length': post('~/note', 'x'.repeat(262_142)),
  'body: the most bytes in chunks': {
    target: '~/note',
    chunks: [`"${'x'.repeat(200_000)}`, `${'x'.repeat(62_142)}"`],
  },
  'body: no bytes in chunks': { target: '~/note', chunks: [] },
  'body: too many bytes announced and none sent': { headers: tooLong, isEndless: true },
  'body: too many bytes of the wrong type': {
    headers: { 'content-type': 'text/plain', ...tooLong },
    isEndless: true,
  },
};
