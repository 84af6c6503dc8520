import { Worker } from 'node:worker_threads';
import { Clock } from '../../hooks/ports/clock.ts';
import { LedgerUnavailable } from '../../hooks/ports/intake.ts';
import { SqliteIntake } from './sqlite-intake.ts';
import { ThreadLink } from './thread-link.ts';

class NoClock extends Clock {
  now() {
    return 0;
  }
  wait() {
    return Promise.resolve();
  }
}

interface Calls {
  echo: { args: [value: number]; result: number };
}

function linkTo(script: string) {
  const head = `const { parentPort: port } = require('node:worker_threads');`;
  return new ThreadLink<Calls>(new Worker(`${head}${script}`, { eval: true }), new NoClock());
}

describe('ThreadLink', () => {
  it('sends what arrives during a batch as the next one', async () => {
    const link = linkTo(`port.on('message', (batch) => {
      if (batch === 'close') return port.close();
      const values = batch.calls.map(() => batch.calls.length);
      port.postMessage({ values, failures: [], rung: [] });
    });`);
    const first = link.call('echo', 1);
    await new Promise((resolve) => setImmediate(resolve));
    const rest = [link.call('echo', 2), link.call('echo', 3), link.call('echo', 4)];
    expect(link.waiting).toBe(4);
    expect(await first).toBe(1);
    expect(await Promise.all(rest)).toEqual([3, 3, 3]);
    await link.close();
  });

  it('fails everything pending and later when the thread dies', async () => {
    const link = linkTo(`port.on('message', () => process.exit(1));`);
    const pending = [link.call('echo', 1), link.call('echo', 2)];
    for (const lost of await Promise.allSettled(pending)) {
      expect(lost).toMatchObject({ status: 'rejected', reason: expect.any(LedgerUnavailable) });
    }
    expect(link.isAlive).toBe(false);
    await expect(link.call('echo', 3)).rejects.toThrow('the thread of the ledger has ended');
    await expect(link.close()).resolves.toBeUndefined();
  });
});

describe('SqliteIntake', () => {
  it('refuses events beyond ten thousand that wait', async () => {
    const call = () => Promise.reject(new Error('called'));
    const intake = new SqliteIntake({ waiting: 10_000, call });
    const request = { path: '', query: {}, headers: {}, client: '', verifiedBy: '' };
    const head = { v: 1, id: '1', hook: 'wake', receivedAt: 0, payload: '{}' } as const;
    const event = { ...head, request, actions: [], warnings: [] };
    await expect(intake.accept(event, { maxSystemEvents: 1 })).rejects.toThrow('overloaded');
  });
});
