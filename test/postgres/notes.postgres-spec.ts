import { makeChannel } from '../../src/adapters/channels/providers.ts';
import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { Hooks } from '../support/hooks.ts';
import { github } from '../support/platforms/github.ts';
import { PlatformServer } from '../support/platforms/index.ts';
import type { TestDatabase } from '../support/postgres-server.ts';
import { PostgresSuite } from './suite.ts';

const suite = PostgresSuite.inThisFile();
const LETTERS = 12;

describe('three services on one database that answer where events came from', () => {
  let database: TestDatabase;
  let platform: PlatformServer;
  let services: Hooks[];

  beforeEach(async () => {
    database = await suite.server.database();
    platform = await PlatformServer.start(github);
    services = await Promise.all([1, 2, 3].map(start));
  });
  afterEach(async () => {
    await Promise.all(services.map((service) => service.close()));
    await platform.close();
    await database[Symbol.asyncDispose]();
  });

  function start(): Promise<Hooks> {
    return Hooks.start({
      ledger: postgresLedger({ url: database.url }),
      agents: { defaults: { heartbeat: { every: '0m' } } },
      mappings: [
        {
          id: 'letters',
          reply: 'source',
          statusNote: true,
          replyTo: { provider: 'github', to: 'acme/shop#{{ issue }}', private: true },
        },
      ],
      channels: { chan_5: { provider: makeChannel('github', github.settings(platform.origin)) } },
    });
  }

  it('put each answer in the place of the note that another one may have written', async () => {
    const asked = await Promise.all(
      Array.from({ length: LETTERS }, (_, n) =>
        services[n % services.length]!.ask('/letters', { issue: n + 1 }),
      ),
    );
    for (const { eventId } of asked) {
      const { status, deliveries } = await services[0]!.ended(eventId);
      expect(status).toBe('done');
      // A note whose run had ended by then was not written any more.
      expect(deliveries.at(-1)).toMatchObject({ status: 'delivered' });
    }
    expect(platform.shown.map(({ text }) => text)).toEqual(
      Array.from({ length: LETTERS }, () => 'the reply'),
    );
  });
});
