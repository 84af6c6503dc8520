import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import {
  Clock,
  HookAuthentication,
  HooksSettings,
  secretName,
  writtenTokens,
} from '../hooks/index.ts';
import { errorCode } from '../platform/errors.ts';
import { RunningConfiguration } from './configuration/reload.ts';
import { inheritedIds } from './senders/inherited-ids.ts';
import { TOKEN_USES_FILE, readTokenUses } from './token-uses-file.ts';

/** How often the file is written at most, in milliseconds; a crash forgets no more than that. */
const WRITE_EVERY_MS = 60_000;

const ONE_DAY_MS = 86_400_000;

/**
 * When each hook token was last used, over restarts: a file beside the ledger, written once a minute at most and by no
 * request (docs/design/authentication.md).
 */
@Injectable()
export class TokenUses implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #logger = new Logger('Tokens');
  readonly #stop = new AbortController();
  readonly #file: string;
  readonly #dir: string;
  /** With the first file, where no ledger in it did. One that is taken away later is not made again. */
  #makesDirectory: boolean;
  #kept = new Map<string, number>();
  #writing: Promise<void> = Promise.resolve();
  #isFailing = false;
  readonly #warned = new Set<string>();

  constructor(
    running: RunningConfiguration,
    private readonly settings: HooksSettings,
    private readonly authentication: HookAuthentication,
    private readonly clock: Clock,
  ) {
    const { dir, postgres } = running.started.store;
    this.#dir = dir;
    this.#file = join(dir, TOKEN_USES_FILE);
    this.#makesDirectory = postgres !== undefined && !existsSync(dir);
  }

  onApplicationBootstrap(): void {
    this.#writing = this.#writeNowAndThen();
  }

  async onApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    await this.#writing;
    await this.#write();
  }

  async #writeNowAndThen(): Promise<void> {
    this.#kept = new Map(await readTokenUses(this.#dir));
    while (!this.#stop.signal.aborted) {
      this.#warn();
      await this.clock.wait(WRITE_EVERY_MS, this.#stop.signal);
      await this.#write();
    }
  }

  #warn(): void {
    for (const warning of inheritedIds(this.settings.current.hooks, this.#kept).values()) {
      if (!this.#warned.has(warning)) this.#logger.warn(warning);
      this.#warned.add(warning);
    }
  }

  /** Tokens that are no longer in the configuration are forgotten, and senders when their last event may be. */
  async #write(): Promise<void> {
    const { lastUses } = this.authentication;
    const isNew = [...lastUses].some(([secret, at]) => (this.#kept.get(secret) ?? 0) < at);
    if (!isNew) return;
    const { hooks, retention } = this.settings.current;
    const known = new Set(writtenTokens(hooks).map(({ text }) => secretName(text)));
    const since = this.clock.now() - retention.eventDays * ONE_DAY_MS;
    const next = new Map(
      [...this.#kept, ...lastUses].filter(([name, at]) =>
        name.startsWith('token ') ? at > since : known.has(name),
      ),
    );
    const texts = [...next].map(([secret, at]) => [secret, new Date(at).toISOString()]);
    const draft = `${this.#file}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      const text = `${JSON.stringify(Object.fromEntries(texts), undefined, 2)}\n`;
      if (this.#makesDirectory) await mkdir(this.#dir, { recursive: true, mode: 0o700 });
      this.#makesDirectory = false;
      await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
      await rename(draft, this.#file);
      this.#kept = next;
      this.#isFailing = false;
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {});
      if (!this.#isFailing) {
        this.#logger.warn(`when tokens were last used cannot be kept (${errorCode(error)})`);
      }
      this.#isFailing = true;
    }
  }
}
