// A writer is a thread where commits are slow, a reader always: neither an fsync nor a long list holds up HTTP.
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
