// docs/design/operator.md
import { once } from 'node:events';
import type { Server } from 'node:http';
import { chmod, lstat, stat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { errorCode } from '../platform/errors.ts';
import { addressText } from './configuration/listen-address.ts';
import type { ListenAddress, TcpAddress } from './configuration/listen-address.ts';
import { createSecondServer, endConnections } from './http-adapter.ts';
import { ListenFailure, listenFailure } from './listen-failure.ts';
import { noteArrivals } from './ops/index.ts';

/** Who may connect to the socket: the user and the group of the service. */
const SOCKET_MODE = 0o660;
/** While it is made: nobody else, whatever the umask of the process. */
const MASK = 0o077;

const KEY = 'ops.listen';

/** The operator's own server before the same routes. It closes after that of the hooks, so that a stop can be watched. */
export class OperatorListener {
  readonly server: Server;

  /** @param fastify not started yet: it closes this one, too. */
  constructor(
    fastify: FastifyInstance,
    private readonly address: ListenAddress,
  ) {
    this.server = createSecondServer(fastify);
    noteArrivals(this.server, address.kind);
    // Fastify runs these once its own server is closed.
    fastify.addHook('onClose', () => this.#close());
  }

  /**
   * Once the routes are there; replaces the socket of a dead process.
   * @returns `http://127.0.0.1:18791` or `unix:/run/hooks/ops.sock`
   * @throws ListenFailure
   */
  async listen(): Promise<string> {
    const { address } = this;
    try {
      if (address.kind === 'tcp') return await this.#listenOnPort(address);
      await this.#listenOnSocket(address.path);
      return addressText(address);
    } catch (error) {
      throw listenFailure(error, { host: KEY, port: KEY });
    }
  }

  async #listenOnPort({ host, port }: TcpAddress): Promise<string> {
    this.server.listen({ host, port });
    await once(this.server, 'listening');
    const bound = this.server.address();
    const chosen = typeof bound === 'object' && bound !== null ? bound.port : port;
    return `http://${addressText({ kind: 'tcp', host: host ?? '127.0.0.1', port: chosen })}`;
  }

  async #listenOnSocket(path: string): Promise<void> {
    await makeWay(path);
    const mask = process.umask(MASK);
    try {
      this.server.listen(path);
    } finally {
      process.umask(mask);
    }
    await once(this.server, 'listening');
    await chmod(path, SOCKET_MODE);
  }

  async #close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    endConnections(this.server);
    await closed;
  }
}

/** Removes a socket that nobody listens on any more. @throws ListenFailure when something else is in the way */
async function makeWay(path: string): Promise<void> {
  const refused = (problem: string): ListenFailure =>
    new ListenFailure(`${KEY} names ${path}, which`, problem);
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) {
    const directory = await stat(dirname(path)).catch(() => undefined);
    if (directory?.isDirectory() === true) return;
    throw refused('is in no directory; make it, for the user of the service to write into');
  }
  if (!found.isSocket()) throw refused('is no socket; remove it, or name another path');
  const state = await connecting(path);
  if (state === 'connected') {
    throw refused('is in use by another process; stop it, or name another path');
  }
  if (state !== 'ECONNREFUSED') {
    throw refused(`cannot be looked at (${state}); remove it, or name another path`);
  }
  await unlink(path).catch((error: unknown) => {
    throw refused(`a dead process left and cannot be removed (${errorCode(error)}); remove it`);
  });
}

/** `connected`, or the code of the system. */
async function connecting(path: string): Promise<string> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return 'connected';
  } catch (error) {
    return errorCode(error) ?? 'unknown';
  } finally {
    socket.destroy();
  }
}
