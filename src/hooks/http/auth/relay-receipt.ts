// docs/design/authentication.md
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { LONGEST_RELAYED_MS } from '../../actions/hook-request.ts';
import type { RelayedRequest } from '../../actions/hook-request.ts';
import { believeForwarders } from './client-address.ts';

/** Sockets of the relay's listener (`hooks listen`). */
const RELAYED = new WeakSet<Socket>();
/** What the relay calls the request, and for how many milliseconds it has kept it. */
const RECEIPT = /^([\w-]{16,64}) (\d{1,12})$/;

/**
 * Has what connects to `server` believed about who sent a request, as any forwarder is, and about how long its relay has
 * kept it. A tunnel hands on whatever headers strangers write, so it must not connect here.
 */
export function believeRelay(server: Server): void {
  believeForwarders(server);
  server.on('connection', (socket) => RELAYED.add(socket));
}

/** What the relay says of a request; undefined: it did not come through one. Whatever is kept too long counts as new. */
export function relayReceipt({ socket, headers }: IncomingMessage): RelayedRequest | undefined {
  if (!RELAYED.has(socket)) return undefined;
  const [, id, kept] = RECEIPT.exec(String(headers['x-relay-receipt'])) ?? [];
  if (id === undefined) return { keptMs: 0 };
  const keptMs = Number(kept);
  return { id, keptMs: keptMs <= LONGEST_RELAYED_MS ? keptMs : 0 };
}
