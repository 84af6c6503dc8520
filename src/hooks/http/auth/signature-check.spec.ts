import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { ManualClock } from '../../../../test/support/clocks.ts';
import { HooksSettings } from '../../options/index.ts';
import { BodyBudget, ClientGone } from '../body.ts';
import { SignatureCheck } from './signature-check.ts';
import { schemes } from './signatures/index.ts';
import type { SignatureFault, SignatureVerifier } from './signatures/index.ts';

const MIB = 1_048_576;
const LIMITS = { maxBodyBytes: MIB, bodyTimeoutSeconds: 30 };
const BYTES = Buffer.from('{}');

function saying(fault: SignatureFault | null): SignatureVerifier {
  return {
    scheme: schemes.get('github')!,
    checkHead: () => null,
    verify: async () => fault ?? { scheme: 'github', coversBody: true },
  };
}

function request(headers: IncomingMessage['headers'] = {}): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), {
    headers: { 'content-length': String(MIB), ...headers },
  });
}

describe('SignatureCheck', () => {
  let clock: ManualClock;
  let check: SignatureCheck;
  beforeEach(() => {
    clock = new ManualClock();
    const settings = new HooksSettings({ maxInFlightBytes: 64 * MIB });
    check = new SignatureCheck(clock, new BodyBudget(settings));
  });
  const read = async (
    fault: SignatureFault | null,
    body: Promise<Buffer> = Promise.resolve(BYTES),
    raw = request(),
    client = '192.0.2.1',
  ): ReturnType<SignatureCheck['verify']> => {
    const bytes = await check.read(raw, client, LIMITS, () => body);
    return check.verify(raw, { verifier: saying(fault), client, receivedAt: 0 }, bytes);
  };
  const fail = () => expect(read('mismatch')).rejects.toMatchObject({ code: 'invalid_signature' });
  const holding = (count: number): { end: () => void } => {
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    for (let at = 0; at < count; at += 1) void read(null, promise);
    return { end: () => resolve(BYTES) };
  };

  it.each<[SignatureFault, string, number]>([
    ['missing', 'invalid_signature', 401],
    ['malformed', 'invalid_signature', 401],
    ['stale', 'invalid_signature', 401],
    ['mismatch', 'invalid_signature', 401],
    ['unavailable', 'verification_unavailable', 503],
  ])('%s is %s', async (fault, code, status) => {
    await expect(read(fault)).rejects.toMatchObject({ code, status });
    expect(check.heldBytes).toBe(0);
  });

  it('lets a body wait for room, and refuses it once it has waited as long as a body may take', async () => {
    await fail();
    const held = holding(4);
    const refused = read(null).catch((error: unknown) => error);
    expect(check.heldBytes).toBe(4 * MIB);
    expect(clock.waiting).toBe(1);
    clock.advance(30_000);
    expect(await refused).toMatchObject({
      code: 'verification_busy',
      status: 503,
      retryAfterSeconds: 5,
    });
    expect(check.heldBytes).toBe(4 * MIB);
    held.end();
  });

  it('keeps room for all that a packed body may be, whatever length it announces', async () => {
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    const small = request({ 'content-length': '100' });
    const packed = { ...LIMITS, isPacked: true };
    const reading = check.read(small, '192.0.2.1', packed, () => promise);
    expect(check.heldBytes).toBe(MIB);
    resolve(BYTES);
    await check.verify(small, { verifier: saying(null), client: '', receivedAt: 0 }, await reading);
    expect(check.heldBytes).toBe(0);
  });

  it('forgets whoever goes away while it waits', async () => {
    await fail();
    const held = holding(4);
    const raw = request();
    const gone = read(null, undefined, raw).catch((error: unknown) => error);
    expect(clock.waiting).toBe(1);
    raw.destroy();
    expect(await gone).toBeInstanceOf(ClientGone);
    expect(clock.waiting).toBe(0);
    held.end();
  });

  it('remembers a failure for a minute', async () => {
    await fail();
    clock.advance(60_000);
    const held = holding(4);
    await expect(read(null)).resolves.toMatchObject({ scheme: 'github' });
    held.end();
  });
});
