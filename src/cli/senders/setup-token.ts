import type { CommandContext } from '../command.ts';
import { addToken, keptSender, otherFileOf } from '../tokens/sender-tokens.ts';

/** The token of a sender after `hooks setup`. */
export interface GivenToken {
  /** Undefined: it has one already, of which only the digest is kept. */
  readonly token: string | undefined;
  /** The file that has it now; undefined: nothing was written. */
  readonly file: string | undefined;
  /** How many it has. */
  readonly count: number;
}

/**
 * Gives a sender that sends a token one of its own, for its hook and no other.
 * @param id of its preset, which names it in stories, too
 * @param rotate one more where it has some
 * @throws CliError where its tokens stand in a file of the operator's
 */
export async function giveToken(
  { inspect, env }: Pick<CommandContext, 'inspect' | 'env'>,
  id: string,
  path: string,
  rotate: boolean,
): Promise<GivenToken> {
  const here = await inspect();
  const count = keptSender(here, id)?.tokens.length ?? 0;
  const isThere = count > 0 || otherFileOf(here, id) !== undefined;
  if (isThere && !rotate) return { token: undefined, file: undefined, count };
  const wanted = { id, hooks: [path], notAfter: undefined };
  const { token, sender, file } = await addToken(here, wanted, env, 'hooks setup');
  return { token, file, count: sender.tokens.length };
}
