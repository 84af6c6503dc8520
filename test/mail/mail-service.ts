import type { EventDetails, EventSummary } from '../../src/hooks/ports/index.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { atLast } from '../support/eventually.ts';
import { startOpenAiServer } from '../support/openai-server.ts';
import type { OpenAiServer } from '../support/openai-server.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { PASSWORD } from './dovecot.ts';

export const OPERATOR_TOKEN = 'operator-token-of-the-mail-suite';
export const HOOK_TOKEN = 'hook-token-of-the-mail-suite';

const AUTHORIZED = { authorization: `Bearer ${OPERATOR_TOKEN}` };

export class MailService implements AsyncDisposable {
  readonly directory = new ConfigDirectory();
  service: ServiceProcess | undefined;
  readonly #plain = new ConfigDirectory();
  #text = '';

  private constructor(private readonly models: OpenAiServer) {}

  /** The configuration only. @param mail over the usual `hooks.mail` */
  static async prepare(account: string, imap: number, mail: object = {}): Promise<MailService> {
    const models = await startOpenAiServer();
    models.reply = () => 'HEARTBEAT_OK';
    const prepared = new MailService(models);
    const auth = { password: '${MAIL_PASSWORD}' };
    const server = { account, host: '127.0.0.1', port: imap, secure: false, auth };
    const configuration = {
      gateway: { auth: { token: OPERATOR_TOKEN } },
      hooks: {
        enabled: true,
        token: HOOK_TOKEN,
        presets: ['mail'],
        mail: { ...server, ...mail },
      },
      agents: { defaults: { model: 'local/test', heartbeat: { every: '0m' } } },
      models: { providers: { local: { baseUrl: models.baseUrl } } },
    };
    prepared.#text = JSON.stringify(configuration);
    prepared.directory
      .write('.env', `MAIL_PASSWORD=${PASSWORD}\n`)
      .write('gateway.json5', configuration);
    return prepared;
  }

  static async start(account: string, imap: number, mail: object = {}): Promise<MailService> {
    const started = await MailService.prepare(account, imap, mail);
    await started.begin();
    await started.is('watching');
    return started;
  }

  async begin(): Promise<void> {
    this.service = await ServiceProcess.listening(this.directory.path);
  }

  /** A service of the same configuration but for `hooks.mail`, with its data elsewhere. @returns where it listens */
  async beginWithoutMail(): Promise<string> {
    const written: { hooks: { mail?: object } } = JSON.parse(this.#text);
    delete written.hooks.mail;
    this.#plain.write('gateway.json5', written);
    this.service = await ServiceProcess.listening(this.#plain.path);
    return this.service.url;
  }

  async kill(): Promise<void> {
    this.service?.signal('SIGKILL');
    await this.service?.[Symbol.asyncDispose]();
    this.service = undefined;
  }

  async mail(): Promise<{ state: string; [key: string]: unknown }> {
    const { mail } = await this.ask('/ops/api/mail');
    return mail as { state: string };
  }

  async is(state: string): Promise<void> {
    await atLast(`mail is ${state}`, async () => (await this.mail()).state === state);
  }

  async ask(path: string): Promise<Record<string, unknown>> {
    if (this.service === undefined) throw new Error('the service does not run');
    const { status, body } = await this.service.ask(path, { token: OPERATOR_TOKEN });
    if (status !== 200) throw new Error(`${path} was answered ${status}`);
    return body;
  }

  async mailRuns(): Promise<string[]> {
    const runs: string[] = [];
    for (const { id } of await this.events('mail')) {
      const details = (await this.ask(`/ops/api/events/${id}`)) as unknown as EventDetails;
      runs.push(...details.runs.map(({ sessionKey }) => sessionKey));
    }
    return runs;
  }

  async events(hook: string): Promise<EventSummary[]> {
    const all: EventSummary[] = [];
    let cursor = '';
    do {
      const page = await this.ask(`/ops/api/events?hook=${hook}&limit=200${cursor}`);
      all.push(...(page['events'] as EventSummary[]));
      cursor = typeof page['nextCursor'] === 'string' ? `&cursor=${page['nextCursor']}` : '';
    } while (cursor !== '');
    return all;
  }

  async metrics(): Promise<string> {
    const answer = await fetch(`${this.service?.url}/ops/metrics`, { headers: AUTHORIZED });
    return answer.text();
  }

  async post(path: string): Promise<void> {
    const answer = await fetch(`${this.service?.url}${path}`, {
      method: 'POST',
      headers: AUTHORIZED,
    });
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`);
    await answer.text();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service?.[Symbol.asyncDispose]();
    await this.models.close();
    this.directory[Symbol.dispose]();
    this.#plain[Symbol.dispose]();
  }
}
