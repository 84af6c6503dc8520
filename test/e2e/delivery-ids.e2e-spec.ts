import { randomUUID } from 'node:crypto';
import type { HookRequest } from '../../src/hooks/actions/hook-request.ts';
import { HookIngress } from '../../src/hooks/http/hook-ingress.ts';
import type { RequestSignature } from '../../src/hooks/ports/index.ts';
import { Hooks as HooksFromCode } from '../../src/hooks/hooks.service.ts';
import { Hooks } from '../support/hooks.ts';

const MAPPINGS = [
  { id: 'ci', messageTemplate: '{{ text }}' },
  {
    id: 'needs-a-list',
    forEach: 'items',
    messageTemplate: '{{ item.text }}',
    dedupeKey: '{{ item.id }}',
  },
];
const REUSED = [expect.stringContaining('came before with another body')];

let hooks: Hooks;

/** What no other test has sent. */
let fresh: string;
let before: number;

beforeAll(async () => {
  hooks = await Hooks.start({ mappings: MAPPINGS });
});
beforeEach(async () => {
  fresh = randomUUID();
  before = await hooks.stored();
});
afterAll(() => hooks.close());

const stored = async () => (await hooks.stored()) - before;

const post = (path: string, body: unknown, headers: Record<string, string>) =>
  hooks.post(path, body, headers);

async function expectRepeat(first: Promise<Response>, again: () => Promise<Response>) {
  const answer = await first;
  const body: unknown = await answer.json();
  const count = await stored();
  const repeat = await again();
  expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([
    answer.status,
    'true',
  ]);
  expect(await repeat.json()).toEqual(body);
  expect(await stored()).toBe(count);
}

describe('a sender’s own delivery id (behaviour §10, found/senders.md F12)', () => {
  it('with the same body again runs once', async () => {
    const send = () => post('/ci', { text: fresh }, { 'x-github-delivery': fresh });
    await expectRepeat(send(), send);
    await hooks.ended(JSON.parse(await (await send()).text()).eventId);
    const runs = hooks.runner.turns.filter(({ prompt }) => prompt.includes(fresh));
    expect(runs.map(({ kind }) => kind)).toEqual(['run']);
  });

  it('with another body it is an event of its own, which says so, and both are known again', async () => {
    const id = { 'x-gitlab-event-uuid': fresh };
    const one = await hooks.ask('/ci', { text: 'one' }, id);
    const two = await hooks.ask('/ci', { text: 'two' }, id);
    expect(one).not.toHaveProperty('warnings');
    expect(two).toMatchObject({ status: 200, warnings: REUSED });
    expect(two['eventId']).not.toBe(one['eventId']);
    expect(await hooks.ask('/ci', { text: 'one' }, id)).toEqual(one);
    expect(await hooks.ask('/ci', { text: 'two' }, id)).toEqual(two);
    expect((await hooks.details(two['eventId'])).warnings).toEqual(REUSED);
    expect(await stored()).toBe(2);
  });

  it('is remembered of what there was nothing to do for, and not of a refusal', async () => {
    const id = { 'webhook-id': fresh };
    expect(await hooks.ask('/needs-a-list', {}, id)).toMatchObject({ status: 400 });
    expect((await post('/needs-a-list', { items: [] }, id)).status).toBe(200);
    const again = await post('/needs-a-list', { items: [] }, id);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(await stored()).toBe(1);
  });
});

describe('keys of two senders (behaviour §10)', () => {
  it('do not meet', async () => {
    const key = { 'idempotency-key': fresh };
    const byToken = await hooks.ask('/ci', { text: 'of the sender' }, key);
    const fromCode = () =>
      hooks.app.get(HooksFromCode).send('ci', { text: 'of the host' }, { idempotencyKey: fresh });
    const { eventId } = await fromCode();
    expect(eventId).not.toBe(byToken['eventId']);
    expect((await fromCode()).eventId).toBe(eventId);
    expect(await hooks.ask('/ci', { text: 'of the sender' }, key)).toEqual(byToken);
    expect(await stored()).toBe(2);
  });
});

describe('a signed request that comes again (behaviour §3)', () => {
  const signature = () => ({ scheme: 'github', signedDigest: fresh, coversBody: true }) as const;

  afterEach(() => {
    const ingress = hooks.app.get(HookIngress);
    for (const name of ['resolveMapped', 'accept']) Reflect.deleteProperty(ingress, name);
  });

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
    sign(signature());
    const send = (id: string, more: Record<string, string> = {}) =>
      post('/ci', { text: 'x' }, { 'x-delivery': id, ...more });
    await expectRepeat(send('1'), () => send('2'));
    await expectRepeat(send('1'), () => send('3', { 'idempotency-key': 'fresh' }));
    await expectRepeat(send('1'), () => post('/ci/?again', { text: 'x' }, { 'x-delivery': '4' }));
    expect(await stored()).toBe(1);
    const { eventId } = await hooks.ask('/ci', { text: 'x' }, { 'x-delivery': '1' });
    expect((await hooks.details(eventId)).request).toMatchObject({
      verifiedBy: 'github',
      signature: { scheme: 'github', deliveryId: { id: '1' } },
    });
    // What a repeat brought along is not known by it.
    sign({ ...signature(), signedDigest: `${fresh} of another body` });
    expect(await hooks.ask('/ci', { text: 'y' }, { 'x-delivery': '2' })).not.toHaveProperty(
      'warnings',
    );
    expect(await stored()).toBe(2);
  });

  it('a signature that does not cover the body is refused under another one', async () => {
    sign({ ...signature(), coversBody: false, deliveryId: { id: fresh, isSigned: true } });
    const send = () => post('/ci', { text: 'x' }, {});
    await expectRepeat(send(), send);
    expect(await hooks.ask('/ci', { text: 'forged' })).toMatchObject({
      status: 401,
      code: 'signature_reused',
    });
    expect(await stored()).toBe(1);
  });
});
