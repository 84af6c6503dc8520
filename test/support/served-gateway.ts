import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { startService } from '../../src/service/start.ts';
import { assertDocumented } from './documented-answers.ts';
import { LineLog, Secrets } from './secret-free-log.ts';

/** An answer over HTTP; `body` is {} where it is no JSON object. */
export interface GatewayAnswer {
  readonly status: number;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

interface GatewayAsked {
  /** Null: none. Absent: the operator's below /ops, the hook token elsewhere. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, everything else as JSON. */
  readonly body?: unknown;
}

/** The service as a process starts it, in this one: without signals, and without its words at a terminal. */
export class ServedGateway implements AsyncDisposable {
  #closed: Promise<void> | undefined;
  /** Tokens, and payloads of hooks, that went through {@link ask}: no log line may hold them. */
  readonly #secrets = new Secrets();

  private constructor(
    readonly app: NestFastifyApplication,
    readonly url: string,
    /** Where its operator API is, `unix:` and a path with a socket. */
    readonly operator: string,
    readonly operatorToken: string,
    readonly log: LineLog,
    private readonly hookToken: string | undefined,
  ) {}

  /**
   * @param env without GATEWAY_PORT it listens on any port, whatever the configuration says
   * @throws what a process would say on stderr
   */
  static async start(
    dir: string,
    env: Readonly<Record<string, string>> = {},
    log = new LineLog(),
  ): Promise<ServedGateway> {
    const context = { env: { GATEWAY_PORT: '0', ...env }, cwd: dir };
    let begun: INestApplication | undefined;
    try {
      const { app, configuration, at } = await startService(context, log, {
        closes: (started) => (begun = started),
      });
      const { operatorToken, hooks } = configuration;
      const { hooks: url, operator = url } = at;
      return new ServedGateway(app, url, operator, operatorToken, log, hooks.token);
    } catch (error) {
      await begun?.close();
      throw error;
    }
  }

  /** @param path from the root, such as `/ops/api/events`. */
  async ask(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    { token, headers = {}, body: sent }: GatewayAsked = {},
  ): Promise<GatewayAnswer> {
    const isOperators = path.startsWith('/ops/');
    const own = isOperators ? this.operatorToken : this.hookToken;
    const bearer = token === undefined ? own : token;
    if (typeof bearer === 'string') this.#secrets.addToken(bearer);
    if (!isOperators) this.#secrets.addPayload(sent);
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(bearer !== null && bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
    });
    const { status } = answer;
    const text = await answer.text();
    assertDocumented(method, path, { status, text });
    const body = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
    return { status, text, body };
  }

  get(path: string, asked: GatewayAsked = {}): Promise<GatewayAnswer> {
    return this.ask('GET', path, asked);
  }

  post(path: string, body: unknown, asked: GatewayAsked = {}): Promise<GatewayAnswer> {
    return this.ask('POST', path, { body, ...asked });
  }

  stop(): Promise<void> {
    this.#closed ??= this.app.close();
    return this.#closed.then(() => this.#secrets.assertAbsentFrom(this.log.lines));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
