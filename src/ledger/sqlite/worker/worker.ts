// Where a thread of the ledger begins. A writer is a thread where commits are slow, so that an fsync never holds up HTTP;
// a reader always is, so that a long list never does. Both answer groups of calls (inline-host.ts), one after the other.
import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { CallMap } from '../../calls.ts';
import { CLOSE } from '../protocol.ts';
import type { Group } from '../../call-queue.ts';
import type { CheckResult, GroupHead, Handshake, SqliteHost, ThreadData } from '../protocol.ts';
import { findDamage, openReader, openWriter, refusalOf } from './open.ts';

if (parentPort !== null) void begin(parentPort, workerData);

async function begin(port: MessagePort, data: ThreadData): Promise<void> {
  if (data.role === 'checker') {
    const result: CheckResult = { damage: findDamage(data.dir) };
    port.postMessage(result);
    return port.close();
  }
  const handshake = await tryToServe(port, data);
  port.postMessage(handshake);
  if (handshake.refusal !== null) port.close();
}

/** Opens and begins to serve, or says in one sentence why not. */
async function tryToServe(
  port: MessagePort,
  data: Exclude<ThreadData, { role: 'checker' }>,
): Promise<Handshake> {
  try {
    if (data.role === 'reader') {
      serve(port, openReader(data.dir));
      return { refusal: null, found: null };
    }
    const { host, found } = await openWriter(data.files, data.start);
    serve(port, host);
    return { refusal: null, found };
  } catch (error) {
    return { refusal: refusalOf(error), found: null };
  }
}

/** Answers groups until it is asked to close; the thread ends by itself then. */
function serve<C extends CallMap<C>>(port: MessagePort, host: SqliteHost<C>): void {
  let answered = Promise.resolve();
  port.on('message', (message: (Group<C> & GroupHead) | typeof CLOSE) => {
    answered = answered.then(async () => {
      if (message !== CLOSE) return port.postMessage(await host.run(message));
      await host.close();
      port.close();
    });
  });
}
