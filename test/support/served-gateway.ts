import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../../src/app.module.ts';
import { loadConfiguration } from '../../src/service/configuration/load.ts';
import { createHttpAdapter } from '../../src/service/http-adapter.ts';
import { OperatorListener } from '../../src/service/operator-listener.ts';
import { JsonErrorsFilter } from '../../src/service/refusals.ts';
import { assertDocumented } from './documented-answers.ts';
import { LineLog } from './secret-free-log.ts';

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

export class ServedGateway implements AsyncDisposable {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly url: string,
    readonly operatorToken: string,
    readonly log: LineLog,
    private readonly hookToken: string | undefined,
  ) {}

  /** @param env without its GATEWAY_PORT it listens on any port, whatever the configuration says. */
  static async start(
    dir: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<ServedGateway> {
    const configuration = await loadConfiguration(dir, env);
    const { operatorToken, operatorAddress, hooks } = configuration;
    const log = new LineLog();
    const adapter = createHttpAdapter({ isApart: operatorAddress !== undefined });
    const operator =
      operatorAddress && new OperatorListener(adapter.getInstance(), operatorAddress);
    const app = await NestFactory.create<NestFastifyApplication>(
      await AppModule.forConfiguration(configuration, env),
      adapter,
      { logger: log, abortOnError: false, bodyParser: false },
    );
    app.useGlobalFilters(new JsonErrorsFilter());
    try {
      await app.init();
      await operator?.listen();
      await app.listen(env['GATEWAY_PORT'] ?? 0, '127.0.0.1');
    } catch (error) {
      await app.close();
      throw error;
    }
    return new ServedGateway(app, await app.getUrl(), operatorToken, log, hooks.token);
  }

  /** @param path from the root, such as `/ops/api/events`. */
  async ask(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    { token, headers = {}, body: sent }: GatewayAsked = {},
  ): Promise<GatewayAnswer> {
    const own = path.startsWith('/ops/') ? this.operatorToken : this.hookToken;
    const bearer = token === undefined ? own : token;
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

  async stop(): Promise<void> {
    await this.app.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
