import { hash } from 'node:crypto';
import type { ResolvedHook } from './accept.ts';
import { Rejection } from '../ports/rejection.ts';
import type { HookAction } from './hook-action.ts';
import type { HookRequest } from './hook-request.ts';
import { isOfSignedText, keysOf } from './idempotency.ts';

const AT = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const HOURS_72 = AT + 72 * HOUR_MS;

const SIGNED = {
  scheme: 'github',
  deliveryId: { id: 'd-1', isSigned: false },
  signedDigest: 'digest of the signed text',
  coversBody: true,
} as const;

function wakeAction(dedupeKey?: string): HookAction {
  const trust = { level: 'untrusted', verifiedBy: 'token' } as const;
  const action = { kind: 'wake', text: 'x', mode: 'now', agentId: 'main', trust } as const;
  return dedupeKey === undefined ? action : { ...action, dedupeKey };
}

function keys(given: Partial<HookRequest> = {}, resolved: Partial<ResolvedHook> = {}, hours = 72) {
  const request = {
    name: 'ci',
    query: {},
    headers: {},
    payload: { a: 1 },
    payloadText: '{"a":1}',
    client: '::1',
    verifiedBy: 'token',
    receivedAt: AT,
    ...given,
  };
  const mapped = { hook: 'ci', mapping: 'builds', actions: [wakeAction()], warnings: [] };
  return keysOf(request, { ...mapped, ...resolved }, hours);
}

describe('the keys of a request (behaviour §10)', () => {
  it('a sender’s key: of its path and its sender, refused with other content, kept for hooks.idempotencyHours', () => {
    const [key] = keys({}, { idempotencyKey: 'k' }).keys;
    expect(key).toEqual({
      scope: 'key\ntoken\nci',
      key: 'k',
      digest: expect.any(String),
      keepUntil: HOURS_72,
      onOtherContent: 'conflict',
    });
    const [other] = keys({ payloadText: '{"a":2}' }, { idempotencyKey: 'k' }).keys;
    expect(other?.digest).not.toBe(key?.digest);
  });

  it('a fraction of an hour ends at a whole millisecond, which is all that ledgers store', () => {
    expect(keys({}, { idempotencyKey: 'k' }, 0.000_001).keys[0]?.keepUntil).toBe(AT + 4);
  });

  it('built-ins are paths of their own, and look for no delivery id', () => {
    const headers = { 'webhook-id': 'w' };
    const given = (hook: string, more: Partial<ResolvedHook> = {}) =>
      keys({ headers }, { hook, mapping: undefined, ...more });
    expect(given('wake', { idempotencyKey: 'k' }).keys).toMatchObject([
      { scope: 'key\ntoken\nwake', key: 'k' },
    ]);
    expect(given('wake').keys).toEqual([]);
  });

  it('no two scopes are the same for different senders, paths or kinds', () => {
    const scopes = [
      keys({}, { idempotencyKey: 'k' }),
      keys({ verifiedBy: 'token github' }, { idempotencyKey: 'k' }),
      keys({ verifiedBy: 'github' }, { idempotencyKey: 'k' }),
      keys({}, { idempotencyKey: 'k', hook: 'ci/2' }),
      keys({}, { idempotencyKey: 'k', hook: 'token\nci' }),
      keys({ headers: { 'webhook-id': 'k' } }),
      keys({ headers: { 'webhook-id': 'k' }, verifiedBy: 'token shop' }),
    ].map((all) => all.keys[0]?.scope);
    expect(new Set(scopes).size).toBe(scopes.length);
  });

  it('a dedupeKey: of its mapping, whoever sent it and wherever, a repeat with other content', () => {
    const actions = [wakeAction('o-1')];
    const byAction = [
      { scope: 'dedupe\nbuilds', key: 'o-1', onOtherContent: 'repeat', keepUntil: HOURS_72 },
    ];
    expect(keys({}, { actions })).toMatchObject({ keys: [], byAction });
    expect(keys({ verifiedBy: 'github' }, { actions, hook: 'ci/2' })).toMatchObject({
      keys: [],
      byAction,
    });
  });

  it('a dedupeKey of a rule: of its mapping and its sender, with what it was before', () => {
    const dedupe = { comparesBody: true, scope: 'sender' } as const;
    const [own] = keys(
      { verifiedBy: 'token crm' },
      { actions: [wakeAction('o-1')], dedupe },
    ).byAction;
    expect(own).toMatchObject({
      scope: 'dedupe-of\ntoken crm\nbuilds',
      key: 'o-1',
      onOtherContent: 'latest',
      former: { scope: 'dedupe\nbuilds', verifiedBy: 'token crm' },
    });
    const shared = { comparesBody: false, scope: 'mapping' } as const;
    const [all] = keys({}, { actions: [wakeAction('o-1')], dedupe: shared }).byAction;
    expect(all).toMatchObject({ scope: 'dedupe\nbuilds', onOtherContent: 'repeat' });
    expect(all).not.toHaveProperty('former');
  });

  it('a CloudEvent in binary mode is named by its source and its id', () => {
    const ids = ['/ci/a', '/ci/b'].map((source) => {
      const headers = { 'ce-source': source, 'ce-id': '1', 'webhook-id': 'w' };
      return keys({ headers }).keys[0];
    });
    expect(ids).toMatchObject([
      { scope: 'delivery\ntoken\nci', key: '/ci/a 1', onOtherContent: 'new' },
      { scope: 'delivery\ntoken\nci', key: '/ci/b 1', onOtherContent: 'new' },
    ]);
  });

  it('the first there is counts: sender’s key, dedupeKey, delivery id', () => {
    const headers = { 'x-github-delivery': 'g' };
    const actions = [wakeAction('o-1')];
    const both = keys({ headers }, { actions, idempotencyKey: 'k' });
    expect(both).toMatchObject({ keys: [{ key: 'k' }], byAction: [undefined] });
    expect(keys({ headers }, { actions }).keys).toEqual([]);
    expect(keys({ headers }).keys).toMatchObject([{ key: 'g' }]);
  });

  it('no delivery id where the body alone was signed: what was signed says it', () => {
    const bodyDigest = hash('sha256', '{"a":1}', 'base64');
    const of = (signature: HookRequest['signature']) =>
      keys({ signature }).keys.map(({ key }) => key);
    expect(of({ ...SIGNED, signedDigest: bodyDigest })).toEqual([bodyDigest]);
    expect(of(SIGNED)).toEqual(['d-1', SIGNED.signedDigest]);
    expect(of({ ...SIGNED, signedDigest: bodyDigest, coversBody: false })).toEqual(['d-1']);
  });

  it('the digest of the body is not made again where its signature told it', () => {
    const digest = (payloadDigest?: string) =>
      keys({ signature: SIGNED, ...(payloadDigest && { payloadDigest }) }).keys[0]?.digest;
    expect(digest(hash('sha256', '{"a":1}', 'base64'))).toBe(digest());
    expect(digest('x'.repeat(44))).toBe('x'.repeat(22));
  });

  it('an action without a dedupeKey leaves the whole request to the delivery id, and nothing to do as well', () => {
    const headers = { 'webhook-id': 'w' };
    const some = keys({ headers }, { actions: [wakeAction('1'), wakeAction()] });
    expect(some).toMatchObject({ keys: [{ key: 'w' }], byAction: [{ key: '1' }, undefined] });
    expect(keys({ headers }, { actions: [] }).keys).toMatchObject([{ key: 'w' }]);
  });

  it.each([
    'webhook-id',
    'svix-id',
    'x-github-delivery',
    'x-shopify-webhook-id',
    'linear-delivery',
    'x-gitlab-event-uuid',
    'x-request-uuid',
  ])(
    '%s is a delivery id: of its path and its sender, an event of its own with other content',
    (name) => {
      expect(keys({ headers: { [name]: ' 1 ' } }).keys).toMatchObject([
        { scope: 'delivery\ntoken\nci', key: '1', onOtherContent: 'new', keepUntil: HOURS_72 },
      ]);
      expect(keys({ headers: { [name]: ' ' } }).keys).toEqual([]);
    },
  );

  it('a delivery id that is too long is replaced by its digest: nobody loses an event by it', () => {
    expect(keys({ headers: { 'webhook-id': 'w'.repeat(256) } }).keys[0]?.key).toHaveLength(256);
    const key = (id: string) => keys({ headers: { 'webhook-id': id } }).keys[0]?.key;
    expect(key('w'.repeat(257))).toMatch(/^[0-9a-f]{64}$/);
    expect(key('w'.repeat(257))).not.toBe(key('w'.repeat(258)));
  });

  it('of a signed request the scheme’s own delivery id counts, a repeat with any content where it is signed', () => {
    const headers = { 'webhook-id': 'unsigned' };
    const own = keys({ headers, verifiedBy: 'github', signature: SIGNED });
    expect(own.keys[0]).toMatchObject({
      scope: 'delivery\ngithub\nci',
      key: 'd-1',
      onOtherContent: 'new',
    });
    const signature = { ...SIGNED, deliveryId: { id: 'd-1', isSigned: true } };
    expect(keys({ signature }).keys[0]).toMatchObject({ key: 'd-1', onOtherContent: 'repeat' });
  });

  it('the signed text is a key besides, whatever other keys there are', () => {
    const signed = {
      scope: 'signed\ngithub\nci',
      key: SIGNED.signedDigest,
      onOtherContent: 'conflict',
      keepUntil: HOURS_72,
    };
    const actions = [wakeAction('o-1')];
    for (const resolved of [{}, { idempotencyKey: 'k' }, { actions }, { actions: [] }]) {
      const last = keys({ verifiedBy: 'github', signature: SIGNED }, resolved).keys.at(-1);
      expect(last).toMatchObject(signed);
      expect(isOfSignedText(last?.scope ?? '')).toBe(true);
      const acme = keys({ verifiedBy: 'github acme', signature: SIGNED }, resolved).keys.at(-1);
      expect(acme).toMatchObject({ ...signed, scope: 'signed\ngithub acme\nci' });
    }
    const elsewhere = keys({ verifiedBy: 'github', signature: SIGNED }, { hook: 'ci/2' }).keys;
    expect(elsewhere.at(-1)).toMatchObject({ ...signed, scope: 'signed\ngithub\nci/2' });
    const [sender] = keys({ signature: SIGNED }, { idempotencyKey: 'k' }).keys;
    expect(isOfSignedText(sender?.scope ?? '')).toBe(false);
  });

  it('the signed text is remembered for as long as its time may be fresh and its body late, however short keys are kept', () => {
    const signature = { ...SIGNED, deliveryId: undefined, toleranceSeconds: 7200 };
    expect(keys({ signature }, {}, 1).keys[0]?.keepUntil).toBe(AT + 5 * HOUR_MS);
    expect(keys({ signature }, {}, 72).keys[0]?.keepUntil).toBe(HOURS_72);
  });

  it('what is signed without the body counts if it names the delivery, and not if it may be of any request', () => {
    const token = { ...SIGNED, coversBody: false, deliveryId: { id: 't', isSigned: true } };
    expect(keys({ signature: token }).keys.map(({ key }) => key)).toEqual([
      't',
      SIGNED.signedDigest,
    ]);
    const { deliveryId: _id, ...secretOnly } = { ...SIGNED, coversBody: false };
    expect(keys({ signature: secretOnly }).keys).toEqual([]);
    const { signedDigest: _digest, ...shared } = SIGNED;
    expect(keys({ signature: shared }).keys.map(({ key }) => key)).toEqual(['d-1']);
    const named = { ...SIGNED, coversBody: false };
    expect(keys({ signature: named }).keys.map(({ key }) => key)).toEqual(['d-1']);
  });

  it('what broke has no key at all', () => {
    const failure = { rejection: new Rejection('mapping_failed'), text: 'x' };
    const headers = { 'webhook-id': 'w' };
    const broken = { failure, actions: [], idempotencyKey: 'k' };
    expect(keys({ headers, signature: SIGNED }, broken)).toEqual({ keys: [], byAction: [] });
  });
});
