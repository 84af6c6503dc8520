import { parentPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';

import { Guests } from './guests.ts';
import type { GuestCall, ThreadMessage } from './messages.ts';
import { QuickJsEngine } from './quickjs/engine.ts';

/** The thread that guests live in: one call at a time, answered before the guest is put back. */
async function serve(port: MessagePort): Promise<void> {
  const guests = new Guests(await QuickJsEngine.load());
  const say = (message: ThreadMessage): void => port.postMessage(message, []);
  say({ type: 'ready', resets: await guests.tryReset() });
  let last: Promise<void> = Promise.resolve();
  port.on('message', (call: GuestCall) => {
    last = last.then(() =>
      guests.run(call, (outcome) => say({ type: 'answer', id: call.id, outcome })),
    );
  });
}

if (parentPort !== null) await serve(parentPort);
