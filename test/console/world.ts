import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { Operator } from './browser.ts';

export const HOOK_TOKEN = 'hook-token-of-good-length';
export const OPERATOR_TOKEN = 'operator-token-of-good-length';
export const READING_TOKEN = 'reading-token-of-good-length';
export const SIGNING_SECRET = 'secret-of-the-signing-sender';

class Receiver {
  isMended = false;
  /** What is answered while it is not; 503 is tried again. */
  refusal = 400;
  readonly messages: string[] = [];
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (this.isMended) this.messages.push(Buffer.concat(chunks).toString());
      response.writeHead(this.isMended ? 204 : this.refusal).end();
    });
  });

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/messages`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

export class World implements AsyncDisposable {
  private constructor(
    readonly service: ServiceProcess,
    readonly receiver: Receiver,
    private readonly directory: ConfigDirectory,
    private readonly browser: Browser,
  ) {}

  /** @param model address of a server whose model `local/big` the hook `review` asks */
  static async begin(browser: Browser, { model }: { model?: string } = {}): Promise<World> {
    const receiver = new Receiver();
    const directory = new ConfigDirectory().write('gateway.json5', {
      gateway: { auth: { token: OPERATOR_TOKEN } },
      ops: { tokens: [{ id: 'ana', role: 'read', token: READING_TOKEN }] },
      hooks: {
        enabled: true,
        token: HOOK_TOKEN,
        defaultSessionKey: 'hook:ingress',
        mappings: [
          {
            id: 'tickets',
            match: { path: 'tickets' },
            when: { 'payload.action': 'opened' },
            action: 'agent',
            name: 'Tickets',
            messageTemplate: 'Ticket {{ payload.title }}',
          },
          {
            id: 'payments',
            match: { path: 'payments' },
            verify: { scheme: 'stripe', secrets: [SIGNING_SECRET] },
            action: 'agent',
            name: 'Payments',
            messageTemplate: 'Paid {{ payload.amount }}',
          },
          {
            id: 'letters',
            match: { path: 'letters' },
            action: 'agent',
            name: 'Letters',
            messageTemplate: 'Answer {{ payload.letter }}',
            approve: 'reply',
            channel: 'chan_8',
          },
          {
            id: 'review',
            match: { path: 'review' },
            action: 'agent',
            name: 'Review',
            agentId: 'asker',
            sessionKey: 'hook:review:{{ payload.what }}',
            messageTemplate: 'Review {{ payload.what }}',
          },
        ],
      },
      agents: {
        defaults: { runner: { type: 'demo' }, notify: false },
        ...(model !== undefined && {
          list: [
            { id: 'main', default: true },
            { id: 'asker', runner: { type: 'model' }, model: 'local/big' },
          ],
        }),
      },
      ...(model !== undefined && {
        models: {
          providers: { local: { type: 'openai-compatible', baseUrl: model, apiKey: 'x' } },
        },
      }),
      channels: {
        chan_8: {
          provider: 'webhook',
          url: await receiver.listen(),
          secrets: [`whsec_${Buffer.alloc(32, 7).toString('base64')}`],
          allowPrivate: true,
          to: 'on-call',
        },
      },
    });
    const service = await ServiceProcess.listening(directory.path);
    return new World(service, receiver, directory, browser);
  }

  async send(hook: string, payload: unknown): Promise<string | null> {
    const { body } = await this.service.ask(`/hooks/${hook}`, { token: HOOK_TOKEN, body: payload });
    return typeof body['eventId'] === 'string' ? body['eventId'] : null;
  }

  async read<T>(path: string): Promise<T> {
    return (await this.service.ask(path, { token: OPERATOR_TOKEN })).body as T;
  }

  async waitingLetter(letter: string): Promise<string> {
    const id = await this.send('letters', { letter });
    await eventually('its answer waits', async () => {
      const { body } = await this.service.ask(`/ops/api/events/${id}`, { token: OPERATOR_TOKEN });
      return body['status'] === 'waiting';
    });
    return id!;
  }

  async loggedIn(token = OPERATOR_TOKEN): Promise<Operator> {
    const operator = await Operator.at(this.service, this.browser);
    await operator.logIn(token);
    return operator;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    this.receiver.close();
    this.directory[Symbol.dispose]();
  }
}
