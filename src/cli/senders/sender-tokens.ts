import { TokensUnchanged, addToken, keptSender, otherFileOf } from '../../service/index.ts';
import type { TokenRefusal } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';

/** What a command says of a change of tokens that was not made. */
export async function explained<T>(id: string, change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    throw error instanceof TokensUnchanged ? asCliError(id, error) : error;
  }
}

function asCliError(id: string, { why, detail }: TokensUnchanged): CliError {
  const { what, hint, isUsage = false } = EXPLAINED[why](id, detail);
  return new CliError(what, hint, isUsage ? EXIT.usage : undefined);
}

interface Explained {
  readonly what: string;
  readonly hint: string;
  readonly isUsage?: boolean;
}

const EXPLAINED: Readonly<Record<TokenRefusal, (id: string, detail: string) => Explained>> = {
  'bad-id': () => ({
    what: 'this cannot name a sender',
    hint: 'use 1 to 64 letters, digits, ".", "_" or "-", such as uptime-kuma',
    isUsage: true,
  }),
  demo: () => ({
    what: 'there is no gateway.json5 here: the demo has one token of its own',
    hint: 'write a gateway.json5 first (docs/configuration.md), or set GATEWAY_CONFIG_DIR',
  }),
  broken: () => ({
    what: 'the current configuration has problems',
    hint: 'see "hooks config check"',
  }),
  elsewhere: (id, file) => ({
    what: `${file} has the sender "${id}"`,
    hint: 'your own files are not edited: change it there, or give another name',
  }),
  unknown: (id) => ({ what: `there is no sender "${id}"`, hint: 'see "hooks token list"' }),
  several: (id, count) => ({
    what: `sender ${id} has ${count} tokens`,
    hint: 'add --old to keep only the newest, or --all',
    isUsage: true,
  }),
  refused: (_, problems) => ({
    what: 'nothing was changed: this would be refused',
    hint: problems.replaceAll('\n', '\n  '),
  }),
  unwritable: (_, code) => ({
    what: `nothing was changed: gateway.d cannot be written (${code})`,
    hint: 'run the command as the user of the service, where the directory may be written',
  }),
};

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
  { inspect, env, clock }: Pick<CommandContext, 'inspect' | 'env' | 'clock'>,
  id: string,
  path: string,
  rotate: boolean,
): Promise<GivenToken> {
  const here = await inspect();
  const count = keptSender(here, id)?.tokens.length ?? 0;
  const isThere = count > 0 || otherFileOf(here, id) !== undefined;
  if (isThere && !rotate) return { token: undefined, file: undefined, count };
  const wanted = { id, hooks: [path], notAfter: undefined };
  const { token, sender, file } = await explained(
    id,
    addToken(here, wanted, env, 'hooks setup', clock.now()),
  );
  return { token, file, count: sender.tokens.length };
}
