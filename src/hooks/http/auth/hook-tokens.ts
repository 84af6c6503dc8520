import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EVERY_HOOK, SHORTEST_TOKEN, tokenDigest, writtenTokens } from '../../options/index.ts';
import type { ResolvedHooksOptions, WrittenToken } from '../../options/index.ts';
import { Clock } from '../../ports/index.ts';

export interface HookToken {
  /** Who speaks, in stories and prompts: `token` for `hooks.token`, else `token <id>`. */
  readonly verifiedBy: string;
  /** Names the secret where its last use is kept: the beginning of its digest. */
  readonly secret: string;
  readonly digest: Buffer;
  /** Bare names of the hooks that it may speak to; null: all of them. */
  readonly hooks: ReadonlySet<string> | null;
  /** Epoch milliseconds after which it is refused; Infinity: never. */
  readonly endsAt: number;
}

interface TokenTable {
  readonly tokens: readonly HookToken[];
  /**
   * By the right tokens as they were presented. A Map compares texts only where their hashes are equal, and those are
   * seeded for each process: how long a wrong token takes tells nothing of a right one.
   */
  readonly known: Map<string, HookToken>;
}

/** How many hexadecimal digits of its digest name a secret: too few to find it by, enough to tell it from others. */
const SECRET_NAME_DIGITS = 12;

const SHARED = 'token';

export function secretName(text: string): string {
  return tokenDigest(text).toString('hex').slice(0, SECRET_NAME_DIGITS);
}

/**
 * The tokens in force, and when each was last used (in this process; whoever keeps it for longer reads it from here, and
 * no request waits for that).
 */
@Injectable()
export class HookTokens {
  readonly #tables = new WeakMap<ResolvedHooksOptions, TokenTable>();
  readonly #lastUses = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /**
   * Compares a token with all that there are. Digests are compared, each one, so that neither the time nor a length tells
   * anything; and a compare happens also when no token came. What was right before is known again by itself.
   * @param presented as Node read it from a header, byte by byte; null: none came
   */
  find(presented: string | null, settings: ResolvedHooksOptions): HookToken | undefined {
    const { tokens, known } = this.#table(settings);
    const before = known.get(presented ?? '');
    if (before !== undefined) return before;
    // Node reads header bytes as latin1; a token outside of ASCII is sent as UTF-8.
    PRESENTED.write(hash('sha256', Buffer.from(presented ?? '', 'latin1'), 'latin1'), 'latin1');
    let found: HookToken | undefined;
    for (const token of tokens) {
      if (timingSafeEqual(PRESENTED, token.digest)) found = token;
    }
    // Of a digest nobody can tell at the start that its token is short.
    if (presented === null || presented.length < SHORTEST_TOKEN) return undefined;
    if (found !== undefined) known.set(presented, found);
    return found;
  }

  noteUse({ secret, verifiedBy }: HookToken): void {
    const now = this.clock.now();
    this.#lastUses.set(secret, now);
    if (verifiedBy !== SHARED) this.#lastUses.set(verifiedBy, now);
  }

  /** Last uses in epoch milliseconds, by {@link secretName}; and of each sender of `hooks.tokens` by its `verifiedBy`, too. */
  get lastUses(): ReadonlyMap<string, number> {
    return this.#lastUses;
  }

  #table(settings: ResolvedHooksOptions): TokenTable {
    const ready = this.#tables.get(settings);
    if (ready !== undefined) return ready;
    const written = writtenTokens(settings.hooks).filter(({ text }) => text !== '');
    const tokens = written.length === 0 ? [NOBODY] : written.map(toHookToken);
    const table = { tokens, known: new Map<string, HookToken>() };
    this.#tables.set(settings, table);
    return table;
  }
}

/** Digest of the token that is being compared: one buffer for all, since a new one would cost more than the hashing. */
const PRESENTED = Buffer.alloc(32);

/** Equal to no digest: what is compared with when nothing can be right. */
const NOBODY: HookToken = {
  verifiedBy: 'nobody',
  secret: '',
  digest: randomBytes(32),
  hooks: new Set(),
  endsAt: -Infinity,
};

function toHookToken({ id, text, hooks, endsAt }: WrittenToken): HookToken {
  return {
    verifiedBy: id === null ? SHARED : `token ${id}`,
    secret: secretName(text),
    digest: tokenDigest(text),
    hooks: hooks.includes(EVERY_HOOK) ? null : new Set(hooks),
    endsAt,
  };
}
