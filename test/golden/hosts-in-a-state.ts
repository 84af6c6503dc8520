import { setTimeout as delay } from 'node:timers/promises';
import { LedgerUnavailable } from '../../src/ledger.ts';
import { Clock } from '../../src/index.ts';
import { around } from './host.ts';
import type { GoldenHost } from './host.ts';
import { ask } from './replay.ts';
import { agent, post } from './requests/request.ts';
import { failures, limits, policies } from './requests/rules.ts';

/** Time that stands still, so that a lock has always the same time left. */
class StillClock extends Clock {
  override now(): number {
    return 1_700_000_000_000;
  }

  override wait(ms: number, signal?: AbortSignal): Promise<void> {
    return delay(Math.min(ms, 2 ** 31 - 1), undefined, { ref: false, signal }).catch(() => {});
  }
}

/** Hosts whose rules or state refuse what the plain one takes. */
export const hostsInAState: readonly GoldenHost[] = [
  {
    name: 'policies',
    requests: policies,
    ingresses: [
      {
        allowRequestSessionKey: true,
        allowedSessionKeyPrefixes: ['hook:'],
        allowedAgentIds: ['coder'],
        agents: {
          defaults: { models: ['local/llama3'] },
          list: [{ id: 'main' }, { id: 'coder' }],
        },
        models: {
          providers: { local: { baseUrl: 'http://127.0.0.1:9/v1' } },
          aliases: { fast: 'local/llama3' },
        },
      },
    ],
  },
  {
    name: 'limits',
    requests: limits,
    ingresses: [
      {
        maxBodyBytes: 64,
        bodyTimeoutSeconds: 0.3,
        agents: { defaults: { maxSystemEvents: 1 } },
        // The heartbeat that a full main session asks for must not drain it meanwhile.
        runner: { run: () => new Promise(() => {}), mayRepeat: () => true },
        shutdownSeconds: 0,
      },
    ],
  },
  ...[false, true].map((strict) => ({
    name: strict ? 'throttle-strict' : 'throttle',
    requests: failures,
    ingresses: [
      {
        clock: new StillClock(),
        authFailures: { limit: 3, strict },
        trustedProxies: ['127.0.0.9'],
      },
    ],
  })),
  around('store-down', {
    ledger: (ledger) => ({
      ...ledger,
      intake: {
        accept: () => Promise.reject(new LedgerUnavailable('the disk is full')),
        holderOf: async () => null,
        certificates: async () => [],
        keepCertificate: async () => {},
      },
    }),
  }),
  around('paused', {
    enter: async ({ stores }) => {
      await stores[0]?.admin.setPaused(true);
      return () => stores[0]?.admin.setPaused(false);
    },
  }),
  closing(),
];

/** Stopping, and kept from ending by a run that takes its time. */
function closing(): GoldenHost {
  const released = Promise.withResolvers<{ text: string }>();
  const host = around('closing', {
    ingresses: [{ runner: { run: () => released.promise, mayRepeat: () => true } }],
    enter: async (running) => {
      await ask(agent(), host, running);
      const closed = running.app.close();
      // The stop has begun before anything else is heard.
      await ask(post('~'), host, running);
      return async () => {
        released.resolve({ text: '' });
        await closed;
      };
    },
  });
  return host;
}
