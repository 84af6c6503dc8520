// Agent runs through the real module of a checkout, with a ledger in a file and a runner that answers at once.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const TOKEN = 'bench-token-that-is-long-enough-0123';
const SESSIONS = 200;
const RUNS_EACH = 10;

/** Everything that is asked of a build, from its own files and with the Nest that it has. */
async function builtIn(checkout) {
  const { resolve } = createRequire(join(checkout, 'package.json'));
  const nest = await import(resolve('@nestjs/core'));
  const fastify = await import(resolve('@nestjs/platform-fastify'));
  const own = await import(join(checkout, 'dist/index.js'));
  // `Operations` in builds before the ledger had seven ports.
  return { ...nest, ...fastify, ...own, LedgerAdmin: own.LedgerAdmin ?? own.Operations };
}

/** Answers at once (or `turnMs` later), or as soon as the gate is open; writes down who was asked and when. */
function instantRunner(AgentRunner, turnMs) {
  return new (class extends AgentRunner {
    asked = [];
    gate = Promise.resolve();

    async run(turn) {
      this.asked.push({ at: performance.now(), session: turn.sessionKey, prompt: turn.prompt });
      await this.gate;
      if (turnMs > 0) await delay(turnMs);
      return { text: 'Done: nothing needs your attention.' };
    }

    /** Holds every turn until the returned function is called. */
    hold() {
      const { promise, resolve } = Promise.withResolvers();
      this.gate = promise;
      return resolve;
    }
  })();
}

/** The module of a checkout in a host of this process. */
export class RunningModule {
  dir = mkdtempSync(join(tmpdir(), 'hooks-bench-runs-'));

  constructor(built, turnMs) {
    this.built = built;
    this.runner = instantRunner(built.AgentRunner, turnMs);
  }

  /** `ledger`: another one than a file; `turnMs`: how long a turn waits; `agents`: ids of agents beside `main`. */
  static async start(checkout, maxConcurrent, { ledger, turnMs = 0, agents = [] } = {}) {
    const built = await builtIn(checkout);
    const bench = new RunningModule(built, turnMs);
    const { HooksModule, NestFactory, FastifyAdapter, sqliteLedger } = built;
    const hooks = HooksModule.forRoot({
      enabled: true,
      token: TOKEN,
      allowRequestSessionKey: true,
      allowedSessionKeyPrefixes: ['bench:'],
      defaultSessionKey: 'bench:default',
      agents: {
        defaults: { maxConcurrent, heartbeat: { every: '0m' } },
        ...(agents.length > 0 && { list: agents.map((id) => ({ id })) }),
      },
      ledger: ledger ?? sqliteLedger({ dir: join(bench.dir, 'data') }),
      runner: bench.runner,
    });
    bench.app = await NestFactory.create(hooks, new FastifyAdapter(), { logger: ['error'] });
    await bench.app.listen(0, '127.0.0.1');
    return bench;
  }

  /** @returns the event's id. */
  async post(session, message, agentId) {
    const answer = await this.app.inject({
      method: 'POST',
      url: '/hooks/agent',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      payload: JSON.stringify({
        message,
        agentId,
        sessionKey: `bench:${session}`,
        wakeMode: 'next-heartbeat',
        deliver: false,
      }),
    });
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}: ${answer.body}`);
    return answer.json().eventId;
  }

  /** Runs that have not ended. */
  async left() {
    const counts = await this.app.get(this.built.LedgerAdmin).counts();
    return counts.reduce((sum, { count }) => sum + count, 0);
  }

  /** Asks the ledger only when every run was begun: what is measured must not be slowed by being looked at. */
  async allEnded(runs) {
    while (this.runner.asked.length < runs) await delay(1);
    while ((await this.left()) > 0) await delay(1);
  }

  /** How many of these events do not tell of a run that ended well. */
  async unfinished(ids) {
    const details = await Promise.all(ids.map((id) => this.app.get(this.built.EventStore).get(id)));
    return details.filter(({ status, summary }) => status !== 'done' || summary === null).length;
  }

  async stop() {
    await this.app.close();
    rmSync(this.dir, { recursive: true });
  }
}

/** Queues `runs` per session behind a held runner; gives the ids of their events, in order of acceptance. */
export async function queue(bench, sessions, runs) {
  const ids = [];
  for (let run = 0; run < runs; run += 1) {
    const names = Array.from({ length: sessions }, (_, n) => n);
    ids.push(
      ...(await Promise.all(names.map((session) => bench.post(session, `Number ${run} please`)))),
    );
  }
  return ids;
}

/**
 * Queues runs, lets them go and waits for the last; gives how many ended per second, µs of CPU for each over all threads,
 * and the ids of their events.
 */
export async function throughput(bench) {
  bench.runner.asked = [];
  const release = bench.runner.hold();
  const ids = await queue(bench, SESSIONS, RUNS_EACH);
  const began = performance.now();
  const before = process.cpuUsage();
  release();
  await bench.allEnded(ids.length);
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { rate: ids.length / seconds, cpu: (user + system) / ids.length, ids };
}
