import * as fc from 'fast-check';
import { Rejection } from '../ports/rejection.ts';
import { assertContent } from './content.ts';
import { subPathBelow } from './fastify-ingress.ts';
import {
  getIdempotencyKey,
  hasTokenInQuery,
  parseQuery,
  visibleHeaders,
  visibleName,
} from './request.ts';

describe('subPathBelow', () => {
  it.each([
    ['/hooks', '/hooks/wake', 'wake'],
    ['/hooks', '/hooks///wake?x#y', '//wake'],
    ['/hooks', '/hooks', ''],
    ['/hooks', '/hooks?x=/hooks/wake', ''],
    ['/hooks', '/hooks/#wake', ''],
    ['/hooks', 'http://host:80/hooks/a/b', 'a/b'],
    ['/hooks', '/hooks/%77ake', '%77ake'],
    ['/hooks', '/hooks/../wake', '../wake'],
    ['/:tenant/hooks', '/acme/hooks/x', 'x'],
    ['/:tenant/hooks', '//hooks/x', null],
    ['/hooks', '/hooksx/wake', null],
    ['/hooks', '//hooks/wake', null],
    ['/hooks', '/hook%73/wake', null],
    ['/h.oks', '/hxoks/wake', null],
    ['/hooks', '*', null],
    ['/hooks', 'http://host/x/hooks/wake', null],
    ['/:tenant/hooks', '/a/b/hooks/x', null],
  ])('%s reads %s as %j', (route, url, name) => {
    expect(subPathBelow(route)(url)).toBe(name);
  });

  it('never takes long and never throws', () => {
    const read = subPathBelow('/hooks');
    fc.assert(fc.property(fc.string(), (rest) => void read(`/hooks/${rest}`)));
    expect(read(`/hooks${'/'.repeat(100_000)}`)).toBe('/'.repeat(99_999));
  });
});

describe('parseQuery', () => {
  it('keeps the first value of each parameter, decoded; malformed escapes stay', () => {
    expect(parseQuery('/x?a=1&a=2&b=%C3%A9+%&c&&=v#d=5')).toEqual({
      a: '1',
      b: '%C3%A9 %',
      c: '',
      '': 'v',
      d: '5',
    });
    expect(parseQuery('/x')).toEqual({});
  });

  it('a parameter named __proto__ is a parameter', () => {
    const query = parseQuery('/x?__proto__=1');
    expect(Object.entries(query)).toEqual([['__proto__', '1']]);
  });

  it.each([
    '?token=1',
    '?token',
    '?a&t%6fken=',
    '#token=1',
    '?a#token',
    '#?token=1',
    '#a?token=1',
    '??token=1',
    '?#token',
    '?a=?b&token=1',
    '?a=?b#token=1',
  ])('%s has a token', (part) => {
    expect(hasTokenInQuery(`/hooks/wake${part}`)).toBe(true);
  });

  it.each(['', '?tokens=1', '?Token=1', '?a=token', '/token', '?a=?token=x', '?a=b?token=x'])(
    '%j has none',
    (part) => {
      expect(hasTokenInQuery(`/hooks/wake${part}`)).toBe(false);
    },
  );

  it('whatever a URL parser calls token is one', () => {
    const piece = fc.constantFrom('?', '#', '&', '=', 'token', 'a', 't%6Fken', '%3F', '/', ';');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const url = `/hooks/wake?${pieces.join('')}`;
        const { searchParams } = new URL(url, 'http://localhost');
        const asText = new URLSearchParams(url.slice(url.indexOf('?') + 1));
        const isThere = searchParams.has('token') || asText.has('token');
        expect(!isThere || hasTokenInQuery(url)).toBe(true);
      }),
    );
  });

  it('a `?` in a value is part of it', () => {
    expect(parseQuery('/x?back=https://a.test/?b=1&c=2')).toEqual({
      back: 'https://a.test/?b=1',
      c: '2',
    });
  });
});

describe('parseQuery: credentials', () => {
  it.each(['key', 'code', 'sig', 'sign', 'pwd', 'api_key', 'functions-key', 'Signature', 'auth'])(
    'leaves out %s',
    (name) => {
      expect(parseQuery(`/x?${name}=1&team=ops`)).toEqual({ team: 'ops' });
    },
  );

  it.each(['status_code', 'codes', 'keys', 'event_key', 'project_key', 'design', 'q'])(
    'keeps %s',
    (name) => {
      expect(parseQuery(`/x?${name}=1`)).toEqual({ [name]: '1' });
    },
  );
});

describe('visibleName', () => {
  it.each([
    ['in/builds', 'in/builds'],
    ['in/a/token/x', 'in/[left out]/x'],
    ['in/a%2Ftoken', 'in/[left out]'],
    ['in/xa/tokeny', 'in/x[left out]y'],
    ['in/a%2Btoken%2Fof', 'in/[left out]'],
    ['in/a%2Btoken/of/x', '[left out]'],
    ['in/a%2Dtoken/of/x', 'in/a%2Dtoken/of/x'],
    ['in/%C3%A9%', 'in/%C3%A9%'],
  ])('shows %s as %s', (name, shown) => {
    expect(visibleName(name, ['a/token', 'a+token/of'])).toBe(shown);
  });
});

describe('visibleHeaders', () => {
  it.each([
    'authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'x-gateway-token',
    'x-gitlab-token',
    'x-hub-signature-256',
    'webhook-signature',
    'x-api-key',
    'apikey',
    'x-client-secret',
    'x-password',
    'x-passphrase',
    'x-passcode',
    'x-pwd',
    'dpop',
    'x-functions-key',
    'x-hook-key',
    'x-parse-master-key',
    'x-key',
    'ocp-apim-subscription-key',
    'x-amzn-oidc-data',
    'x-amzn-oidc-identity',
    'x-ms-client-principal',
    'x-forwarded-client-cert',
    'x-goog-iap-jwt-assertion',
    'cf-access-client-secret',
    'paypal-transmission-sig',
    'x-airtable-content-mac',
    'x-shopify-hmac-sha256',
    'x-slack-signature',
    'stripe-signature',
    'x-telegram-bot-api-secret-token',
    'x-hook-secret',
    'x-session-id',
  ])('leaves out %s', (name) => {
    expect(visibleHeaders({ [name]: 'x', 'x-github-event': 'push' })).toEqual({
      'x-github-event': 'push',
    });
  });

  it.each([
    'x-github-event',
    'x-github-delivery',
    'x-github-hook-id',
    'x-gitlab-event',
    'x-gitlab-event-uuid',
    'x-gitea-delivery',
    'x-event-key',
    'x-request-uuid',
    'x-hook-uuid',
    'idempotency-key',
    'x-gateway-idempotency-key',
    'webhook-id',
    'webhook-timestamp',
    'svix-id',
    'linear-delivery',
    'linear-event',
    'x-shopify-topic',
    'x-shopify-shop-domain',
    'x-shopify-webhook-id',
    'sentry-hook-resource',
    'x-atlassian-webhook-identifier',
    'x-slack-request-timestamp',
    'paypal-transmission-id',
    'x-zm-request-timestamp',
    'x-monkey',
    'x-author',
    'content-type',
    'user-agent',
  ])('keeps %s', (name) => {
    expect(visibleHeaders({ [name]: 'x' })).toEqual({ [name]: 'x' });
  });

  it('leaves out what brings a secret of our own, whatever its name', () => {
    const secrets = ['a-token-of-ours', 'another one'];
    const headers = { 'x-a': 'a-token-of-ours', 'x-b': 'see a-token-of-ours!', 'x-c': 'a-token' };
    expect(visibleHeaders(headers, secrets)).toEqual({ 'x-c': 'a-token' });
    expect(parseQuery('/x?a=to+ken/of=o&b=2', ['to+ken/of=o'])).toEqual({ b: '2' });
    expect(parseQuery('/x?a=a-token-of-ours&b=%61-token-of-ours&c=1&another+one', secrets)).toEqual(
      { c: '1' },
    );
  });

  it('joins repeated ones', () => {
    expect(visibleHeaders({ 'x-list': ['a', 'b'] })).toEqual({ 'x-list': 'a, b' });
  });
});

describe('getIdempotencyKey', () => {
  it('takes 256 characters, trimmed', () => {
    expect(getIdempotencyKey({ 'idempotency-key': ` ${'k'.repeat(256)} ` })).toBe('k'.repeat(256));
    expect(getIdempotencyKey({})).toBeUndefined();
  });
});

describe('assertContent', () => {
  const codeFor = (type: string): string => {
    try {
      assertContent({ 'content-type': type });
      return 'passes';
    } catch (error) {
      return error instanceof Rejection ? error.code : 'crashes';
    }
  };

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/vnd.github+json',
    'application/cloudevents+json; charset=utf8; v=1',
    'application/json; charset=latin1',
    'text/json',
    'application/x-json',
    'text/x-json; charset=nonsense',
    'application/octet-stream',
  ])('%s is JSON', (type) => {
    expect(codeFor(type)).toBe('passes');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'text/jsonp',
    'application/json, text/plain',
  ])('%s is not', (type) => {
    expect(codeFor(type)).toBe('unsupported_media_type');
  });

  it('whatever the header, it passes or is a rejection', () => {
    fc.assert(
      fc.property(fc.string(), (type) => {
        expect(codeFor(type)).toMatch(/^(?:passes|unsupported_media_type)$/);
      }),
    );
  });
});
