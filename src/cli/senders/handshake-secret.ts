import { secretHandshake } from '../../hooks/index.ts';
import type { Preset, SecretWindow, SignatureScheme, TakenSecret } from '../../hooks/index.ts';
import { senderName } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import type { ServiceClient } from '../service/service-client.ts';
import { ServiceRefusal, isPassing } from '../service/service-answers.ts';
import type { SecretFlags } from './sender-secrets.ts';

// The service takes the secret only while a person waits for it here. Nobody else can say whose it is: it is shown with
// where it came from, and counts only once it is accepted.

const PACE_MS = 1000;

export function arrivesByHandshake(scheme: SignatureScheme | undefined): boolean {
  return secretHandshake(scheme) !== undefined;
}

interface Flags extends SecretFlags {
  readonly accept?: boolean;
  readonly discard?: boolean;
  readonly rotate?: boolean;
  readonly retireOld?: boolean;
}

/** @throws CliError for flags of handshakes where there is none, or beside others */
export function assertFlagsFit(
  preset: Preset,
  scheme: SignatureScheme | undefined,
  { accept, discard, ...others }: Flags,
): void {
  if (accept === undefined && discard === undefined) return;
  if (!arrivesByHandshake(scheme)) {
    const message = `No secret of ${senderName(preset)} arrives by handshake.`;
    throw new CliError(message, 'Leave out --accept and --discard.', EXIT.usage);
  }
  const { rotate, retireOld, secret, secretEnv, secretStdin } = others;
  const isMore = [rotate, retireOld, secret, secretEnv, secretStdin].some(Boolean);
  if (!isMore && (accept === undefined || discard === undefined)) return;
  const message = '--accept and --discard go with no other flag of secrets.';
  throw new CliError(message, undefined, EXIT.usage);
}

export class HandshakeSecret {
  readonly #name: string;

  constructor(
    private readonly context: Pick<CommandContext, 'terminal' | 'clock'>,
    private readonly service: ServiceClient,
    private readonly preset: Preset,
    private readonly path: string,
  ) {
    this.#name = senderName(preset);
  }

  /** Opens it, or finds what it took. @throws CliError */
  async open(): Promise<SecretWindow> {
    const body = { hook: this.path, scheme: this.preset.verify?.scheme ?? '' };
    return (await this.service.ask('POST /ops/api/secret-windows', 'window', { body })).window;
  }

  /** Waits until the secret comes, and shows it. @throws CliError when the window closes before, or is interrupted */
  async waitAndShow({ taken, closesAt }: SecretWindow): Promise<void> {
    const { terminal, clock } = this.context;
    const { signal } = this.service;
    if (taken === null) {
      terminal.note(`Waiting for the secret of ${this.#name} until ${closesAt} …`);
    }
    let came = taken;
    while (came === null) {
      await clock.wait(PACE_MS, signal);
      signal?.throwIfAborted();
      came = await this.#look();
    }
    this.#show(came);
  }

  /** What came, and says from where. @throws CliError when nothing did */
  async taken(): Promise<TakenSecret> {
    const { taken } = await this.#window();
    if (taken !== null) {
      const { client, at } = taken;
      this.context.terminal.note(`The secret came from ${asLine(client)} at ${asLine(at)}.`);
      return taken;
    }
    throw new CliError(
      `No secret of ${this.#name} came yet.`,
      `Begin at ${this.#name} what sends it, and see what comes: hooks setup ${this.preset.id}`,
      EXIT.failed,
    );
  }

  /** The service closes the window and forgets what came. @throws CliError when there is none */
  async forget(): Promise<void> {
    const query = { hook: this.path };
    await this.service.ask('DELETE /ops/api/secret-windows', 'ok', { query });
  }

  async discard(): Promise<void> {
    await this.forget();
    this.context.terminal.note('forgotten; no secret is taken any more');
  }

  async #window(): Promise<SecretWindow> {
    const query = { hook: this.path };
    return (await this.service.ask('GET /ops/api/secret-windows', 'window', { query })).window;
  }

  /** Null: nothing came yet; a service that restarts or is busy is asked again. */
  async #look(): Promise<TakenSecret | null> {
    try {
      return (await this.#window()).taken;
    } catch (error) {
      if (isPassing(error)) return null;
      if (!(error instanceof ServiceRefusal) || error.code !== 'no_secret_window') throw error;
      throw new CliError(
        `No secret of ${this.#name} came, and the window is closed.`,
        `Did its request reach the service? See: hooks events list --refused. Begin again: hooks setup ${this.preset.id}`,
        EXIT.failed,
      );
    }
  }

  #show({ secret, client, at }: TakenSecret): void {
    const { terminal } = this.context;
    const { id } = this.preset;
    terminal.print(terminal.style('bold', 'A secret came'));
    terminal.print(`  Secret: ${asLine(secret)}`);
    terminal.print(`  From:   ${asLine(client)}`);
    terminal.print(`  At:     ${asLine(at)}`);
    terminal.note(
      `It counts for nothing yet, and anybody could have sent it. Is it the one of ${this.#name}, come when you caused it? Then: hooks setup ${id} --accept`,
    );
    terminal.note(`If it is not: hooks setup ${id} --discard, and begin again.`);
  }
}
