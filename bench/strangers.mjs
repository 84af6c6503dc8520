// What strangers cost who announce a large body, send a little of it and stay.
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startService } from './services.mjs';

export const STRANGERS = 1000;
const HEAD =
  'POST /hooks/wake HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10485760\r\n\r\n';
/** Longer than a refused client's body is read away. */
export const LINGER_MS = 6000;

/** Each sends 16 KB of what it announced, waits for its answer and stays. */
export async function flood(checkout) {
  const service = await startService({ checkout });
  const before = { memory: service.peakMb(), sockets: service.openFiles() };
  const { port } = new URL(service.url);
  const statuses = {};
  const strangers = await Promise.all(
    Array.from({ length: STRANGERS }, async () => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      socket.write(HEAD + 'x'.repeat(16_384));
      const answer = await new Promise((done) => {
        socket.once('data', (data) => done(String(data).slice(9, 12)));
        socket.once('close', () => done('none'));
      });
      statuses[answer] = (statuses[answer] ?? 0) + 1;
      return socket;
    }),
  );
  const memory = service.peakMb() - before.memory;
  const sockets = service.openFiles() - before.sockets;
  await delay(LINGER_MS);
  const left = service.openFiles() - before.sockets;
  for (const socket of strangers) socket.destroy();
  await service.stop();
  return { statuses: JSON.stringify(statuses), memory, sockets, left };
}
