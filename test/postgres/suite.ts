import { PostgresServer } from '../support/postgres-server.ts';

export class PostgresSuite {
  #server: PostgresServer | undefined;

  static inThisFile(options: Parameters<typeof PostgresServer.start>[0] = {}): PostgresSuite {
    const suite = new PostgresSuite();
    beforeAll(async () => {
      suite.#server = await PostgresServer.start(options);
    });
    afterAll(async () => {
      await suite.#server?.[Symbol.asyncDispose]();
    });
    return suite;
  }

  get server(): PostgresServer {
    if (this.#server === undefined) throw new Error('PostgreSQL was not started');
    return this.#server;
  }
}
