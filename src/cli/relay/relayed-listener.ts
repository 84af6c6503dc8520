import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { constants, performServerHandshake } from 'node:http2';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { Transform } from 'node:stream';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../hooks/index.ts';
import { errorCode } from '../../platform/errors.ts';
import { explainCode } from '../../platform/http-client.ts';
import { CliError } from '../cli-error.ts';
import { targetAt } from '../service/service-place.ts';
import {
  CONNECT_PATH,
  SESSION,
  UPGRADE,
  endToEnd,
  headerOf,
  isForHook,
  requestHead,
  watch,
  wrapHead,
} from './wire.ts';
import type { RequestHead } from './wire.ts';

const CONNECT_MS = 15_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** The relay then says that the service is away. */
const REFUSED = constants.NGHTTP2_REFUSED_STREAM;

/** A socket, or a port of this machine. */
export type ServiceAt =
  { readonly socketPath: string } | { readonly host: string; readonly port: string };

/** What a listener is told by its command. */
export interface ListenerOptions {
  readonly relay: URL;
  readonly secret: string;
  /** `hooks.path` of the service: nothing else is asked of it. */
  readonly prefix: string;
  /** Where the service takes what is forwarded, and believes who sent it. */
  readonly service: ServiceAt;
  readonly clock: Clock;
  /** Takes a line for the operator. */
  readonly tell: (line: string) => void;
}

/**
 * The private end: connects to the relay, and hands what comes from there to the hooks of the service. The relay is
 * believed in two things, who sent a request and how long it has been kept; it reaches nothing else here.
 */
export class RelayedListener {
  constructor(private readonly options: ListenerOptions) {}

  /** Stays connected until the signal aborts. @throws CliError when the relay does not know the secret */
  async run(signal: AbortSignal): Promise<void> {
    const { relay, clock, tell } = this.options;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const session = await this.#connect(signal);
        failures = 0;
        tell(`connected to ${relay.host}`);
        await this.#serve(session, signal);
        if (!signal.aborted) tell(`the connection to ${relay.host} is lost; connecting again`);
      } catch (error) {
        if (error instanceof CliError) throw error;
        if (!signal.aborted && failures === 0) tell(unreachable(relay, error));
      }
      const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
      // Not all listeners of a relay at the same moment.
      await clock.wait(wait * (0.5 + Math.random() / 2), signal);
    }
  }

  async #connect(signal: AbortSignal): Promise<ServerHttp2Session> {
    const { relay, secret } = this.options;
    const target = targetAt({ url: relay }, CONNECT_PATH);
    const headers = { connection: 'Upgrade', upgrade: UPGRADE, authorization: `Bearer ${secret}` };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
    const send = relay.protocol === 'https:' ? httpsRequest : httpRequest;
    const asking = send(target, { headers, agent: false });
    const ended = new AbortController();
    limit.addEventListener('abort', () => asking.destroy(), { signal: ended.signal });
    try {
      const socket = await upgraded(asking.end());
      return performServerHandshake(socket, SESSION);
    } finally {
      ended.abort();
    }
  }

  /** Until the connection has ended; what is under way when the signal aborts is still answered. */
  async #serve(session: ServerHttp2Session, signal: AbortSignal): Promise<void> {
    watch(session);
    const stop = (): void => session.close();
    signal.addEventListener('abort', stop, { once: true });
    // What it was about is no matter: another connection is made.
    session.on('error', () => undefined);
    session.on('stream', (stream, headers) => this.#handOn(stream, headers));
    await new Promise((resolve) => session.once('close', resolve));
    signal.removeEventListener('abort', stop);
  }

  #handOn(stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>): void {
    stream.on('error', () => undefined);
    try {
      const head = requestHead(headers);
      if (isForHook(head.target, this.options.prefix)) this.#ask(stream, head);
      else stream.close(REFUSED);
    } catch {
      // No head, or one that makes no request.
      stream.close(REFUSED);
    }
  }

  /** On a connection of its own: nothing of one request reaches another. */
  #ask(stream: ServerHttp2Stream, head: RequestHead): void {
    const { service } = this.options;
    const { method, target: path, address, receipt } = head;
    const kept = endToEnd(head.headers);
    const length = stream.endAfterHeaders ? '0' : headerOf(kept, 'content-length');
    const framing = length === undefined ? ['Transfer-Encoding', 'chunked'] : [];
    const told =
      receipt === undefined ? [] : ['X-Relay-Receipt', `${receipt.id} ${receipt.keptMs}`];
    const headers = [...kept, ...framing, ...KEPT_OPEN, 'X-Forwarded-For', address, ...told];
    const asking = httpRequest({ ...service, method, path, headers, agent: false });
    // Such as: the service is away.
    asking.on('error', () => stream.close(REFUSED));
    asking.once('response', (answer: IncomingMessage) => {
      const { statusCode: status = 502, rawHeaders } = answer;
      if (stream.closed || stream.headersSent) return;
      stream.respond({ ':status': 200, ...wrapHead({ status, headers: rawHeaders }) });
      answer.on('error', () => stream.close(REFUSED));
      answer.pipe(stream);
    });
    stream.once('close', () => asking.destroy());
    stream.pipe(atMost(Number(length ?? Infinity))).pipe(asking);
  }
}

/** Passes on this many bytes and no more, so that what follows a body is no other request on the same connection. */
function atMost(bytes: number): Transform {
  let left = bytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const passed = chunk.subarray(0, left);
      left -= passed.length;
      done(null, passed);
    },
  });
}

/**
 * The service leaves it to us to close: Node's end of a request writes to the socket once more, and where the service has
 * answered and closed by then, that fails and takes the answer with it.
 */
const KEPT_OPEN = ['Connection', 'keep-alive'];

/** @throws CliError for a wrong secret; Error for any other answer, or none */
async function upgraded(asking: ReturnType<typeof httpRequest>): Promise<Duplex> {
  const socket = new Promise<Duplex>((resolve, reject) => {
    asking.once('upgrade', (_answer, taken: Duplex, head: Buffer) => {
      if (head.length > 0) taken.unshift(head);
      resolve(taken);
    });
    asking.once('response', ({ statusCode }) => {
      asking.destroy();
      reject(statusCode === 401 ? wrongSecret() : new Error(`it answers ${statusCode}`));
    });
    asking.once('error', reject);
  });
  return socket;
}

function wrongSecret(): CliError {
  return new CliError(
    'The relay does not know this secret.',
    'Give this machine that of the relay: its file relay-secret, or HOOKS_RELAY_SECRET.',
  );
}

function unreachable({ host }: URL, error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined) return `${host} could not be reached${explainCode(code)}; trying again`;
  return `there is no relay at ${host}: ${error instanceof Error ? error.message : 'no answer'}; trying again`;
}
