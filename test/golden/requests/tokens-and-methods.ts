import { each, eachOf, post, wake } from './request.ts';
import type { Requests, Step } from './request.ts';

const none = { authorization: null };
const wrong = { authorization: 'Bearer no' };

const CARRIERS: Record<string, NonNullable<Step['headers']>> = {
  'bEaReR and more blanks': { authorization: 'bEaReR   {token}' },
  'Bearer and a tab': { authorization: 'Bearer\t{token}' },
  'Bearer without a blank': { authorization: 'Bearer{token}' },
  'a blank Bearer, right x-gateway-token': {
    authorization: 'Bearer ',
    'x-gateway-token': '{token}',
  },
  'a wrong Bearer, right x-gateway-token': { ...wrong, 'x-gateway-token': '{token}' },
  'a right Bearer, wrong x-gateway-token': { 'x-gateway-token': 'no' },
  'Basic, right x-gateway-token': { authorization: 'Basic YTpi', 'x-gateway-token': '{token}' },
  Basic: { authorization: 'Basic YTpi' },
  'without a scheme': { authorization: '{token}' },
  'it and more': { authorization: 'Bearer {token}x' },
  'a right Authorization, then a wrong one': { authorization: ['Bearer {token}', 'Bearer no'] },
  'a wrong Authorization, then a right one': { authorization: ['Bearer no', 'Bearer {token}'] },
  'twice in x-gateway-token': { ...none, 'x-gateway-token': ['{token}', '{token}'] },
  'a blank x-gateway-token': { ...none, 'x-gateway-token': ' ' },
  'X-GATEWAY-TOKEN': { ...none, 'X-GATEWAY-TOKEN': '{token}' },
  'in a cookie': { ...none, cookie: 'token={token}' },
  'in proxy-authorization': { ...none, 'proxy-authorization': 'Bearer {token}' },
};

const QUERIES = `
  ~/wake?token= ~/wake?token ~/wake?a=1&token=x ~/wake?%74oken=x ~/wake#token=x ~/wake?a=1#token=x
  ~?token=x ~/nothing-here?token=x ~/wake?tokens=x&mytoken=y&TOKEN=z ~/note?x=%zz
`
  .trim()
  .split(/\s+/);

const METHODS = 'DELETE PATCH QUERY SEARCH PROPFIND TRACE PURGE CONNECT post FOO'.split(' ');

const preflight = { ...none, origin: 'https://a.test', 'access-control-request-method': 'POST' };

export const tokensAndMethods: Requests = {
  ...each('token', CARRIERS, (headers) => wake({ headers })),
  ...eachOf('query', QUERIES, (target) => wake({ target })),
  'query: a token, with a wrong token and method': {
    method: 'GET',
    target: '~/wake?token=x',
    headers: wrong,
  },
  ...eachOf('method', METHODS, (method) => ({ method })),
  'method: PUT with a body': wake({ method: 'PUT' }),
  'method: GET of the prefix': { method: 'GET', target: '~' },
  'method: DELETE of no such hook': { method: 'DELETE', target: '~/nothing-here' },
  'method: overridden by a header': wake({ headers: { 'x-http-method-override': 'GET' } }),
  'method: a preflight of CORS': { method: 'OPTIONS', headers: preflight },
  'method: POST with an Origin': wake({ headers: { origin: 'https://a.test' } }),
  'wire: HTTP/1.0': wake({ version: '1.0' }),
  'wire: HTTP/1.0, keep-alive': wake({ version: '1.0', headers: { connection: 'keep-alive' } }),
  'wire: HTTP/1.0 without a host': wake({ version: '1.0', headers: { host: null } }),
  'wire: no host': wake({ headers: { host: null } }),
  'wire: two hosts': wake({ headers: { host: ['a.test', 'b.test'] } }),
  'wire: connection: close': wake({ headers: { connection: 'close' } }),
  'wire: connection: close, wrong token': wake({ headers: { connection: 'close', ...wrong } }),
  'wire: an upgrade': wake({ headers: { connection: 'upgrade', upgrade: 'websocket' } }),
  'wire: Expect: miracles': wake({ headers: { expect: 'miracles' } }),
  'wire: 100-continue, wrong token': wake({ headers: { expect: '100-continue', ...wrong } }),
  'wire: a length and chunks': { headers: { 'content-length': '2' }, chunks: ['{}'] },
  'wire: a length that is no number': wake({ headers: { 'content-length': 'x' } }),
  'wire: gzip, chunked': { headers: { 'transfer-encoding': 'gzip, chunked' }, chunks: ['{}'] },
  'wire: no JSON, then a good one': [wake({ body: '{' }), wake({ isKeptAlive: true })],
  'wire: no such hook, then a good one': [post('~/nothing-here'), wake({ isKeptAlive: true })],
};
