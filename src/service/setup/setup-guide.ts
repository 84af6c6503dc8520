import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Logger } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import type { Environment } from '../configuration/environment.ts';
import { whyFragmentsUnwritable, whyUnwritable } from '../configuration/fragments.ts';
import { SetupConversation } from './setup-conversation.ts';

/** The command, built. */
const COMMAND = fileURLToPath(new URL('../../cli/asked.js', import.meta.url));

/** How long a conversation is kept that nobody looks at. */
const PATIENCE_MS = 900_000;

/** What the guide works with. */
export interface SetupPlace {
  /** Of the configuration. */
  readonly dir: string;
  /** That the service was started with. */
  readonly env: Environment;
  /** What Node is to run. @default the command of this build */
  readonly command?: string;
  readonly patienceMs?: number;
}

/**
 * Runs `hooks setup` for an operator at the console: the very command, in a process of its own that ends when this one
 * does, its stdin closed. There is one at a time.
 */
export class SetupGuide implements OnModuleDestroy {
  readonly #logger = new Logger('Setup');
  #current: SetupConversation | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(private readonly place: SetupPlace) {}

  /** Why nothing could be written here, as the code of the system; undefined: it can. */
  get unwritable(): string | undefined {
    const { dir } = this.place;
    // .env stands beside the fragments.
    return whyUnwritable(dir) ?? whyFragmentsUnwritable(dir);
  }

  /** The one that goes on, or ended last. */
  get current(): SetupConversation | undefined {
    return this.#current;
  }

  /** Begins one, in place of one that has ended. @param by the operator's id */
  begin(by: string): SetupConversation {
    const { dir, env, command = COMMAND } = this.place;
    const child = spawn(process.execPath, [command, 'setup'], {
      env: { ...env, GATEWAY_CONFIG_DIR: dir },
      stdio: 'pipe',
    });
    this.#logger.log(`${by} began the guided setup`);
    this.#current = new SetupConversation(by, child);
    this.keep();
    return this.#current;
  }

  /** Somebody is still there. */
  keep(): void {
    const { patienceMs = PATIENCE_MS } = this.place;
    clearTimeout(this.#patience);
    this.#patience = setTimeout(() => void this.end(), patienceMs).unref();
  }

  /** Ends and forgets it; resolves when its process has ended. */
  async end(): Promise<void> {
    clearTimeout(this.#patience);
    const ending = this.#current;
    this.#current = undefined;
    await ending?.end();
  }

  async onModuleDestroy(): Promise<void> {
    await this.end();
  }
}
