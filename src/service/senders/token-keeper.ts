import type { Sections } from '../configuration/files.ts';
import type { FragmentKeeper } from '../configuration/fragment-keeper.ts';
import { addToken, keptSender, retireTokens, strangeHooks } from './sender-tokens.ts';
import type { MadeToken, WantedToken } from './sender-tokens.ts';

/** What the fragments of the console name as their author: whoever reads them finds the command that changes them, too. */
const AUTHOR = 'hooks token new';

/** Makes and ends tokens of senders for the running service; each is in force when it is answered. */
export class TokenKeeper {
  constructor(private readonly fragments: FragmentKeeper) {}

  get written(): Sections {
    return this.fragments.running.inForce.written;
  }

  isKeptHere(id: string): boolean {
    return keptSender(this.fragments.running.inForce, id) !== undefined;
  }

  /** @param now epoch milliseconds @throws ConfigurationUnchanged */
  add(
    wanted: WantedToken,
    now: number,
  ): Promise<MadeToken & { readonly strange: readonly string[] }> {
    const what = `the operator gave the sender ${wanted.id} a token`;
    return this.fragments.change(what, async (here) => {
      const made = await addToken(here, wanted, this.fragments.env, AUTHOR, now);
      return { ...made, strange: strangeHooks(here, made.sender.hooks) };
    });
  }

  /** @throws ConfigurationUnchanged */
  retire(
    id: string,
    which: 'old' | 'all' | undefined,
  ): Promise<{ readonly before: number; readonly left: number }> {
    return this.fragments.change(`the operator ended tokens of the sender ${id}`, (here) =>
      retireTokens(here, id, which, this.fragments.env, AUTHOR),
    );
  }
}
