import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { ManualClock } from '../../../test/support/clocks.ts';
import { BodyBudget, BodyReader, defaultLimit } from './body.ts';

const MIB = 1_048_576;

describe('defaultLimit', () => {
  it.each([
    ['a small container', 256 * MIB, 8 * MIB],
    ['one of a gigabyte', 1024 * MIB, 32 * MIB],
    ['a large machine', 65_536 * MIB, 64 * MIB],
  ])('for %s', (_, memory, limit) => {
    expect(defaultLimit(memory)).toBe(limit);
  });
});

describe('a packed body', () => {
  const limits = { maxBodyBytes: MIB, bodyTimeoutSeconds: 30 };
  const request = (): IncomingMessage => new IncomingMessage(new Socket());
  const budget = new BodyBudget({ current: { hooks: { maxInFlightBytes: 1000 } } });
  const reader = new BodyReader(new ManualClock(), budget);

  it('counts what it is unpacked to beside what came', async () => {
    const packed = gzipSync(' '.repeat(900));
    const one = request();
    budget.take(one, packed.length, true);
    await reader.inflate(one, packed, 'gzip', limits);
    expect(budget.held).toBe(900 + packed.length);
    const other = request();
    expect(budget.take(other, 10, true)).toBe(true);
    budget.giveBack(one);
    expect(budget.held).toBe(10);
    const again = request();
    budget.take(again, packed.length, true);
    const refused = reader.inflate(again, gzipSync(' '.repeat(1000)), 'gzip', limits);
    await expect(refused).rejects.toMatchObject({ code: 'intake_busy', status: 503 });
  });
});
