import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { setInterval as every } from 'node:timers/promises';

// A process of its own that asks a service, and a bare server beside it, at a steady rate, until it is told to stop:
// `/health/live`, a request that is refused, and wakes. Says how long answers took, in milliseconds: what a busy machine
// costs anybody is what the bare server costs.

export interface Times {
  readonly count: number;
  readonly p99: number;
  readonly worst: number;
}

export interface Findings {
  readonly live: Times;
  readonly refused: Times;
  readonly bare: Times;
  /** Events that were answered 200. */
  readonly accepted: readonly string[];
}

export interface Probe {
  stop(): Promise<Findings>;
}

export interface Asking {
  readonly url: string;
  readonly token: string;
  /** Wakes in a second. */
  readonly wakes: number;
}

export async function probe(asking: Asking): Promise<Probe> {
  const child = fork(new URL(import.meta.url), [JSON.stringify(asking)], {
    execPath: 'nice',
    execArgv: ['-n', '-15', process.execPath],
  });
  const broke = once(child, 'exit').then(() => {
    throw new Error('the process that asks has ended');
  });
  await Promise.race([once(child, 'message'), broke]);
  return {
    stop: async () => {
      child.send('stop');
      const [findings]: Findings[] = await Promise.race([once(child, 'message'), broke]);
      child.disconnect();
      return findings!;
    },
  };
}

const ASKED_EVERY_MS = 20;
const BODY = JSON.stringify({ text: 'x'.repeat(300), mode: 'next-heartbeat' });

class Asker {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #under = new Set<Promise<void>>();
  readonly took: Record<'live' | 'refused' | 'bare', number[]> = {
    live: [],
    refused: [],
    bare: [],
  };
  readonly accepted: string[] = [];
  readonly asking: Asking;
  readonly bare: string;

  constructor(asking: Asking, bare: string) {
    this.asking = asking;
    this.bare = bare;
  }

  ask(): void {
    const { url, token } = this.asking;
    this.#time('bare', () => this.#send(this.bare, 'GET', ''));
    this.#time('live', () => this.#send(`${url}/health/live`, 'GET', ''));
    this.#time('refused', () => this.#send(`${url}/hooks/wake`, 'POST', `not ${token}`));
  }

  wake(): void {
    const { url, token } = this.asking;
    this.#keep(async () => {
      const { status, text } = await this.#send(`${url}/hooks/wake`, 'POST', token);
      if (status === 200) this.accepted.push(String(JSON.parse(text).eventId));
    });
  }

  async settled(): Promise<Findings> {
    await Promise.all(this.#under);
    const { live, refused, bare } = this.took;
    this.#agent.destroy();
    return {
      live: timesOf(live),
      refused: timesOf(refused),
      bare: timesOf(bare),
      accepted: this.accepted,
    };
  }

  #time(what: keyof Asker['took'], send: () => Promise<unknown>): void {
    const began = performance.now();
    this.#keep(async () => {
      await send();
      this.took[what].push(performance.now() - began);
    });
  }

  #keep(act: () => Promise<void>): void {
    const done = act().catch(() => {});
    this.#under.add(done);
    void done.then(() => this.#under.delete(done));
  }

  async #send(
    url: string,
    method: string,
    token: string,
  ): Promise<{ status: number; text: string }> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = request(url, { method, headers, agent: this.#agent });
    sent.end(method === 'POST' ? BODY : undefined);
    const [answer] = await once(sent, 'response');
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    return { status: answer.statusCode, text };
  }
}

function timesOf(took: readonly number[]): Times {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 10) / 10;
  return { count: sorted.length, p99: at(0.99), worst: at(1) };
}

async function main(asking: Asking): Promise<void> {
  const server = createServer((_, answer) => answer.end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const asker = new Asker(asking, `http://127.0.0.1:${port}`);
  const stopping = new AbortController();
  process.once('message', () => stopping.abort());
  process.send?.('ready');
  const { signal } = stopping;
  const asks = repeat(ASKED_EVERY_MS, signal, () => asker.ask());
  await Promise.all([asks, repeat(1000 / asking.wakes, signal, () => asker.wake())]);
  process.send?.(await asker.settled());
  server.close();
}

async function repeat(ms: number, signal: AbortSignal, act: () => void): Promise<void> {
  try {
    for await (const _ of every(ms, undefined, { signal })) act();
  } catch {
    // Told to stop.
  }
}

const [, script, given] = process.argv;
if (script === import.meta.filename && given !== undefined) await main(JSON.parse(given) as Asking);
