import { parentPort } from 'node:worker_threads';
import { parseMail } from './parse.ts';
import type { ReadAnswer, ReadOrder } from './parsed-mail.ts';

// The reading thread: one message at a time. It is ended from outside when it takes too long.

function answer(message: ReadAnswer): void {
  parentPort?.postMessage(message, []);
}

parentPort?.on('message', ({ source }: ReadOrder) => {
  parseMail(source).then(
    (mail) => answer({ kind: 'read', mail }),
    () => answer({ kind: 'failed' }),
  );
});

answer({ kind: 'ready' });
