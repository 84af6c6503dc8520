import { Logger } from '@nestjs/common';
import type { Environment } from '../configuration/environment.ts';
import type { Sections } from '../configuration/files.ts';
import { inspectConfiguration } from '../configuration/inspect.ts';
import type { RunningConfiguration } from '../configuration/reload.ts';
import { addToken, keptSender, retireTokens, strangeHooks } from './sender-tokens.ts';
import type { MadeToken, WantedToken } from './sender-tokens.ts';

/** What the fragments of the console name as their author: whoever reads them finds the command that changes them, too. */
const AUTHOR = 'hooks token new';

/** Makes and ends tokens of senders for the running service, one after the other; each is in force when it is answered. */
export class TokenKeeper {
  readonly #logger = new Logger('Tokens');
  #last: Promise<unknown> = Promise.resolve();

  /** @param env that the service was started with */
  constructor(
    private readonly running: RunningConfiguration,
    private readonly env: Environment,
  ) {}

  /** The sections in force as they are written. */
  get written(): Sections {
    return this.running.inForce.written;
  }

  /** Whether tokens of that sender were made here or by the command. */
  isKeptHere(id: string): boolean {
    return keptSender(this.running.inForce, id) !== undefined;
  }

  /** @param now epoch milliseconds @throws TokensUnchanged */
  add(
    wanted: WantedToken,
    now: number,
  ): Promise<MadeToken & { readonly strange: readonly string[] }> {
    return this.#inTurn(async () => {
      const here = await this.#inspect();
      const made = await addToken(here, wanted, this.env, AUTHOR, now);
      await this.#putInForce(`the operator gave the sender ${wanted.id} a token`);
      return { ...made, strange: strangeHooks(here, made.sender.hooks) };
    });
  }

  /** @throws TokensUnchanged */
  retire(
    id: string,
    which: 'old' | 'all' | undefined,
  ): Promise<{ readonly before: number; readonly left: number }> {
    return this.#inTurn(async () => {
      const ended = await retireTokens(await this.#inspect(), id, which, this.env, AUTHOR);
      await this.#putInForce(`the operator ended tokens of the sender ${id}`);
      return ended;
    });
  }

  #inspect(): ReturnType<typeof inspectConfiguration> {
    return inspectConfiguration(this.running.started.dir, this.env);
  }

  async #putInForce(what: string): Promise<void> {
    await this.running.reread();
    this.#logger.log(what);
  }

  /** Two at a time would each write the file without the other's token. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#last.then(change, change);
    this.#last = done;
    return done;
  }
}
