import { assert, property, string } from 'fast-check';
import { isAuthentic } from './authenticity.ts';

const ANN = 'ann@example.org';

function says(written: string, { server = 'mx.example.net', sender = ANN } = {}): boolean {
  return isAuthentic([`Authentication-Results: ${written}`], sender, server);
}

/** As the servers of providers write it, addresses and domains apart. */
const WRITTEN: readonly (readonly [server: string, written: string])[] = [
  // Gmail, from mails of linux-mm in the archive of kvack.org.
  [
    'mx.google.com',
    'mx.google.com;\r\n       dkim=pass header.i=@example.org header.s=corp-2018-07-02 header.b=lhk5qU4z;\r\n       spf=pass (google.com: domain of ann@example.org designates 156.151.31.86 as permitted sender) smtp.mailfrom="prvs=1078cbd532=ann@example.org";\r\n       dmarc=pass (p=NONE sp=NONE dis=NONE) header.from=example.org',
  ],
  // Microsoft 365, from jstedfast/MimeKit#490 and trusteddomainproject/OpenDKIM#73: no name, and domains in between.
  [
    'none',
    'spf=pass (sender IP is 209.85.219.172)\r\n smtp.mailfrom=other.example; alum.example.edu; dkim=pass (signature was verified)\r\n header.d=other.example;alum.example.edu; dmarc=pass action=none\r\n header.from=example.org;compauth=pass reason=100',
  ],
  // Fastmail's authentication_milter, from fastmail/authentication_milter#156.
  [
    '*.messagingengine.com',
    'phl-mx-07.messagingengine.com;\r\n    dkim=pass (1024-bit rsa key) header.d=other.example header.i=@other.example header.b=jLsflEGg;\r\n    dmarc=pass (p=none) header.from=example.org;\r\n    iprev=pass policy.iprev=40.107.22.101 (mail-am6eur05on2101.outbound.protection.outlook.com);\r\n    x-ptr=fail x-ptr-helo=EUR05-AM6-obe.outbound.protection.outlook.com',
  ],
  // rspamd and OpenDMARC, from rspamd/rspamd#2082 and #2019.
  [
    'mail.testnet.test',
    'mail.testnet.test; dmarc=pass (p=none dis=none) header.from=example.org; spf=softfail smtp.mailfrom=me@server.org',
  ],
  // OpenDKIM with the job's number, from RainLoop/rainloop-webmail#950.
  [
    'grid.kura.io',
    'grid.kura.io/C741440440;\r\n    dkim=pass (2048-bit key; unprotected) header.d=example.org header.i=@example.org header.b=PQMM7upX;\r\n    dkim-adsp=pass; dkim-atps=neutral',
  ],
  // Yahoo, without a blank before the bracket, after pimlie/authres_status#39.
  [
    '*.yahoo.com',
    'atlas207.free.mail.gq1.yahoo.com;\r\n spf=pass smtp.mailfrom=newsletter.example.org;\r\n dmarc=pass(p=QUARANTINE,sp=REJECT) header.from=example.org;',
  ],
  // RFC 8601, appendix B.7: comments everywhere.
  [
    'foo.example.net',
    "(an (encapsulated) comment) foo.example.net (foobar) 1 (baz);\r\n dkim (Because I like it) / 1 (One yay) = (wait for it) fail\r\n policy (A dot can go here) . (like that) expired\r\n (this surprised me) = (as I wasn't expecting it) 1362471462; spf=pass smtp.mailfrom=bounce@example.org",
  ],
];

describe('isAuthentic', () => {
  it.each(WRITTEN)('reads what %s writes', (server, written) => {
    expect(says(written, { server })).toBe(true);
    expect(says(written, { server, sender: 'ann@forged.example' })).toBe(false);
    expect(says(written, { server: 'mx.other.example' })).toBe(false);
  });

  it.each([
    ['DMARC', 'dmarc=pass header.from=example.org', true],
    [
      'DKIM for a part of the domain',
      'dkim=pass header.i=@news.example.org header.d=example.org',
      true,
    ],
    ...['/', '?', '#', '\\'].map((sign): [string, string, boolean] => [
      `a domain behind ${sign}`,
      `dkim=pass header.i=@example.org${sign}.evil.example`,
      false,
    ]),
    ['a domain in escapes', 'spf=pass smtp.mailfrom=x@ex%61mple.org', false],
    ['a blank of another kind', 'spf=pass smtp.mailfrom=example.org\u00a0z@evil.example', false],
    ['DMARC of another domain', 'dmarc=pass header.from=evil.example', false],
    ['DMARC without a domain', 'dmarc=pass', false],
    ['a failure of DMARC over all else', 'dkim=pass header.d=example.org; dmarc=fail', false],
    ['two verdicts of DMARC', 'dmarc=none; dmarc=pass header.from=example.org', false],
    [
      'DKIM of the domain',
      'dmarc=none header.from=example.org; dkim=pass header.d=Example.ORG',
      true,
    ],
    ['DKIM by its identity', 'dkim=pass header.i=ann@example.org', true],
    [
      'DKIM of one domain of two',
      'dkim=pass header.d=a.example; dkim=pass header.d=example.org',
      true,
    ],
    ['DKIM of another domain', 'dkim=pass header.d=evil.example', false],
    ['DKIM of the domain above', 'dkim=pass header.d=org', false],
    ['DKIM of a domain that ends alike', 'dkim=pass header.d=myexample.org', false],
    ['DKIM that failed', 'dkim=fail header.d=example.org', false],
    ['SPF of the domain', 'spf=pass smtp.mailfrom=bounce@example.org', true],
    ['SPF by its greeting', 'spf=pass smtp.helo=example.org', false],
    ['SPF of another domain', 'spf=pass smtp.mailfrom=ann@example.org.evil.example', false],
    ['SPF of an empty sender', 'spf=pass smtp.mailfrom=', false],
    ['none', 'none', false],
    ['a method that is none', 'x-dmarc=pass header.from=example.org', false],
    ['a verdict that is a property', 'spf=none dmarc=pass header.from=example.org', false],
    ['a verdict in a comment', 'spf=none (; dmarc=pass header.from=example.org)', false],
    ['a verdict in quoted text', 'spf=none reason="; dmarc=pass header.from=example.org"', false],
    [
      'a verdict in an address that is quoted',
      'spf=pass smtp.mailfrom="; dmarc=pass header.from=example.org;"@evil.example',
      false,
    ],
    [
      'an address that ends a comment',
      'spf=pass (of "a) dmarc=pass header.from=example.org',
      false,
    ],
    [
      'quotation marks in a comment',
      'spf=none (of "x"); dmarc=pass header.from=example.org',
      false,
    ],
    ['a comment without an end', 'dmarc=pass header.from=example.org (', false],
    ['quoted text without an end', 'dmarc=pass header.from=example.org reason="', false],
  ])('takes %s: %s', (_what, results, expected) => {
    expect(says(`mx.example.net; ${results}`)).toBe(expected);
  });

  it.each([
    ['in any case', 'MX.Example.NET', 'mx.example.net', true],
    ['with a version', 'mx.example.net 1', 'mx.example.net', true],
    ['below another', 'mx.example.net.evil.example', 'mx.example.net', false],
    ['with more before it', 'evil-mx.example.net', 'mx.example.net', false],
    ['any below it', 'a.example.net', '*.example.net', true],
    ['none of them itself', 'example.net', '*.example.net', false],
    ['no name, where one is given', 'none', 'none', false],
  ])('compares the name of the server %s: %s', (_what, written, server, expected) => {
    expect(says(`${written}; dmarc=pass header.from=example.org`, { server })).toBe(expected);
  });

  it('does not take a header without a name for that of a server with one', () => {
    expect(says('dmarc=pass header.from=example.org')).toBe(false);
  });

  const FORGED = 'mx.example.net; dmarc=pass header.from=example.org';

  it.each([
    ['its verdict', 'mx.example.net; dmarc=fail header.from=example.org'],
    ['its verdict on another domain', 'mx.example.net; spf=pass smtp.mailfrom=evil.example'],
    ['what nobody can read', 'mx.example.net; spf=pass (of "x) smtp.mailfrom=evil.example'],
  ])('of the server’s own above a forged one takes %s', (_what, own) => {
    const headers = [`Authentication-Results: ${own}`, `Authentication-Results: ${FORGED}`];
    expect(isAuthentic(headers, ANN, 'mx.example.net')).toBe(false);
  });

  it('passes over the server’s own without a verdict, as Fastmail writes three of, and those of others', () => {
    const headers = [
      'Received: from mx.example.org',
      'Authentication-Results: mx.example.net; x-csa=none; x-me-sender=none',
      'Authentication-Results: mx.evil.example; dmarc=fail header.from=example.org',
      `Authentication-Results: ${FORGED}`,
    ];
    expect(isAuthentic(headers, ANN, 'mx.example.net')).toBe(true);
  });

  it.each([
    `\u00a0Authentication-Results: ${FORGED}`,
    `Authentication-Results : ${FORGED}`,
    `ARC-Authentication-Results: ${FORGED}`,
    `X-Authentication-Results: ${FORGED}`,
    `Authentication-Results-Original: ${FORGED}`,
  ])('believes no header of another name: %s', (header) => {
    expect(isAuthentic([header], ANN, 'mx.example.net')).toBe(false);
  });

  it('compares domains of other scripts in either form', () => {
    const sender = 'a@bücher.example';
    expect(says('mx.example.net; dmarc=pass header.from=xn--bcher-kva.example', { sender })).toBe(
      true,
    );
  });

  it('of no single sender says no', () => {
    expect(says(FORGED, { sender: '' })).toBe(false);
  });

  it('takes no words of nobody for a verdict', () => {
    assert(
      property(string(), (text) => {
        expect(says(`mx.example.net; ${text}`)).toBe(false);
      }),
    );
  });
});
