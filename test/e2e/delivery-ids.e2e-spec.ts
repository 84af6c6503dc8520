import type { HookRequest } from '../../src/hooks/actions/hook-request.ts';
import { HookIngress } from '../../src/hooks/http/hook-ingress.ts';
import type { RequestSignature } from '../../src/hooks/ports/index.ts';
import { Hooks as HooksFromCode } from '../../src/hooks/hooks.service.ts';
import { ManualClock } from '../support/clocks.ts';
import { Hooks } from '../support/hooks.ts';

const MAPPINGS = [
  { id: 'ci', messageTemplate: '{{ text }}' },
  { id: 'deploys', messageTemplate: '{{ text }}' },
  { id: 'orders', messageTemplate: '{{ text }}', dedupeKey: '{{ id }}' },
  { id: 'invoices', messageTemplate: '{{ text }}', dedupeKey: '{{ id }}' },
  {
    id: 'needs-a-list',
    forEach: 'items',
    messageTemplate: '{{ item.text }}',
    dedupeKey: '{{ item.id }}',
  },
];
const REUSED = [expect.stringContaining('came before with another body')];

let hooks: Hooks;

beforeEach(async () => {
  hooks = await Hooks.start({ mappings: MAPPINGS });
});
afterEach(() => hooks.close());

const post = (path: string, body: unknown, headers: Record<string, string>) =>
  hooks.post(path, body, headers);

async function expectRepeat(first: Promise<Response>, again: () => Promise<Response>) {
  const before = await first;
  const body: unknown = await before.json();
  const stored = await hooks.stored();
  const repeat = await again();
  expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([
    before.status,
    'true',
  ]);
  expect(await repeat.json()).toEqual(body);
  expect(await hooks.stored()).toBe(stored);
}

describe('a sender’s own delivery id (behaviour §10, found/senders.md F12)', () => {
  it('with the same body again runs once', async () => {
    const send = () => post('/ci', { text: 'built' }, { 'x-github-delivery': '7' });
    await expectRepeat(send(), send);
    const [event] = await hooks.events();
    await hooks.ended(event?.id);
    expect(hooks.journal.filter((line) => line.startsWith('run'))).toHaveLength(1);
  });

  it('with another body it is an event of its own, which says so, and both are known again', async () => {
    const id = { 'x-gitlab-event-uuid': '7' };
    const one = await hooks.ask('/ci', { text: 'one' }, id);
    const two = await hooks.ask('/ci', { text: 'two' }, id);
    expect(one).not.toHaveProperty('warnings');
    expect(two).toMatchObject({ status: 200, warnings: REUSED });
    expect(two['eventId']).not.toBe(one['eventId']);
    expect(await hooks.ask('/ci', { text: 'one' }, id)).toEqual(one);
    expect(await hooks.ask('/ci', { text: 'two' }, id)).toEqual(two);
    expect((await hooks.details(two['eventId'])).warnings).toEqual(REUSED);
    expect(await hooks.stored()).toBe(2);
  });

  it('counts per path, and not where the sender or the mapping gives a key', async () => {
    const id = { 'webhook-id': '7' };
    await hooks.ask('/ci', { text: 'x' }, id);
    await hooks.ask('/deploys', { text: 'x' }, id);
    await hooks.ask('/ci', { text: 'x' }, { ...id, 'idempotency-key': 'a' });
    await hooks.ask('/ci', { text: 'x' }, { ...id, 'idempotency-key': 'b' });
    expect(await hooks.stored()).toBe(4);
    await hooks.ask('/orders', { text: 'x', id: 1 }, id);
    await hooks.ask('/orders', { text: 'x', id: 2 }, id);
    expect(await hooks.stored()).toBe(6);
    const keyless = () => post('/orders', { text: 'no id' }, id);
    await expectRepeat(keyless(), keyless);
  });

  it('is nothing to the built-in hooks', async () => {
    for (let n = 0; n < 2; n += 1) await hooks.ask('/wake', { text: 'x' }, { 'webhook-id': '7' });
    expect(await hooks.stored()).toBe(2);
  });

  it('is remembered of what there was nothing to do for, and not of a refusal', async () => {
    const id = { 'webhook-id': '7' };
    expect(await hooks.ask('/needs-a-list', {}, id)).toMatchObject({ status: 400 });
    expect((await post('/needs-a-list', { items: [] }, id)).status).toBe(200);
    const again = await post('/needs-a-list', { items: [] }, id);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(await hooks.stored()).toBe(1);
  });
});

describe('keys of two senders (behaviour §10)', () => {
  it('do not meet, be they as small as they may', async () => {
    const key = { 'idempotency-key': '1' };
    const byToken = await hooks.ask('/ci', { text: 'of the sender' }, key);
    const fromCode = () =>
      hooks.app.get(HooksFromCode).send('ci', { text: 'of the host' }, { idempotencyKey: '1' });
    const { eventId } = await fromCode();
    expect(eventId).not.toBe(byToken['eventId']);
    expect((await fromCode()).eventId).toBe(eventId);
    expect(await hooks.ask('/ci', { text: 'of the sender' }, key)).toEqual(byToken);
    expect(await hooks.stored()).toBe(2);
  });

  it('a dedupeKey is of its mapping and its sender', async () => {
    const first = await hooks.ask('/orders', { text: 'x', id: 1 });
    expect(await hooks.ask('/orders', { text: 'z', id: 1 })).toEqual(first);
    const ofTheHost = await hooks.app.get(HooksFromCode).send('orders', { text: 'y', id: 1 });
    expect(ofTheHost.eventId).not.toBe(first['eventId']);
    const elsewhere = await hooks.ask('/invoices', { text: 'x', id: 1 });
    expect(elsewhere['eventId']).not.toBe(first['eventId']);
    expect(await hooks.stored()).toBe(3);
  });

  it('a dedupeKey of a mapping that takes every path meets itself on all of them', async () => {
    await hooks.close();
    hooks = await Hooks.start({
      mappings: [{ id: 'all', match: {}, messageTemplate: '{{ text }}', dedupeKey: '{{ id }}' }],
    });
    const first = await hooks.ask('/a', { text: 'x', id: 1 });
    expect(await hooks.ask('/b', { text: 'x', id: 1 })).toEqual(first);
    expect(await hooks.stored()).toBe(1);
  });
});

describe('a signed request that comes again (behaviour §3)', () => {
  const SIGNATURE = { scheme: 'github', signedDigest: 'of the body', coversBody: true } as const;

  /** From now on requests count as if their signature had been found to be right; `x-delivery` names an unsigned id. */
  function sign(signature: RequestSignature): void {
    const ingress = hooks.app.get(HookIngress);
    const signed = (request: HookRequest): HookRequest => {
      const id = request.headers['x-delivery'];
      const deliveryId = id === undefined ? {} : { deliveryId: { id, isSigned: false } };
      return {
        ...request,
        verifiedBy: signature.scheme,
        signature: { ...signature, ...deliveryId },
      };
    };
    const { prototype } = HookIngress;
    ingress.resolveMapped = (request, mapping) =>
      prototype.resolveMapped.call(ingress, signed(request), mapping);
    ingress.accept = (request, resolved) =>
      prototype.accept.call(ingress, signed(request), resolved);
  }

  it('is a repeat, whatever was varied of what is not signed', async () => {
    sign(SIGNATURE);
    const send = (id: string, more: Record<string, string> = {}) =>
      post('/ci', { text: 'x' }, { 'x-delivery': id, ...more });
    await expectRepeat(send('1'), () => send('2'));
    await expectRepeat(send('1'), () => send('3', { 'idempotency-key': 'fresh' }));
    await expectRepeat(send('1'), () => post('/ci/?again', { text: 'x' }, { 'x-delivery': '4' }));
    expect(await hooks.stored()).toBe(1);
    // What a repeat brought along is not known by it.
    sign({ ...SIGNATURE, signedDigest: 'of another body' });
    expect(await hooks.ask('/ci', { text: 'y' }, { 'x-delivery': '2' })).not.toHaveProperty(
      'warnings',
    );
    expect(await hooks.stored()).toBe(2);
  });

  it('is an event on another path', async () => {
    sign(SIGNATURE);
    await hooks.ask('/ci', { text: 'x' });
    await hooks.ask('/deploys', { text: 'x' });
    expect(await hooks.stored()).toBe(2);
  });

  it('a mapping that made nothing of it is tried anew', async () => {
    sign(SIGNATURE);
    expect(await hooks.ask('/needs-a-list', { text: 'x' })).toMatchObject({ status: 400 });
    expect(await hooks.ask('/ci', { text: 'x' })).toMatchObject({ status: 200 });
  });

  it('the same delivery id in the signed text is a repeat, with whatever body', async () => {
    const deliveryId = { id: '7', isSigned: true };
    sign({ ...SIGNATURE, deliveryId });
    const first = hooks.post('/ci', { text: 'x' });
    await first;
    sign({ ...SIGNATURE, deliveryId, signedDigest: 'signed an hour later' });
    await expectRepeat(first, () => hooks.post('/ci', { text: 'x', attempt: 2 }));
  });

  it('a signature that does not cover the body is refused under another one', async () => {
    sign({ ...SIGNATURE, coversBody: false, deliveryId: { id: 'token', isSigned: true } });
    const send = () => post('/ci', { text: 'x' }, {});
    await expectRepeat(send(), send);
    expect(await hooks.ask('/ci', { text: 'forged' })).toMatchObject({
      status: 401,
      code: 'signature_reused',
    });
    expect(await hooks.stored()).toBe(1);
  });

  it('a secret that every request carries makes repeats of none', async () => {
    sign({ ...SIGNATURE, coversBody: false });
    await hooks.ask('/ci', { text: 'x' });
    await hooks.ask('/ci', { text: 'y' });
    expect(await hooks.stored()).toBe(2);
  });

  it('runs once it was forgotten', async () => {
    await hooks.close();
    const clock = new ManualClock();
    hooks = await Hooks.start({ clock, mappings: MAPPINGS });
    sign({ ...SIGNATURE, deliveryId: { id: '7', isSigned: false } });
    const first = await hooks.ask('/ci', { text: 'x' });
    expect((await hooks.details(first['eventId'])).request).toMatchObject({
      verifiedBy: 'github',
      signature: { scheme: 'github', deliveryId: { id: '7' } },
    });
    clock.advance(73 * 3_600_000);
    const second = await hooks.ask('/ci', { text: 'x' });
    expect(second['eventId']).not.toBe(first['eventId']);
  });
});
