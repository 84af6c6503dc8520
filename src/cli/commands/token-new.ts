import { writtenDigest } from '../../hooks/index.ts';
import { newToken } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { JSON_OPTION, defineCommand, option } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import {
  checkId,
  keptSender,
  knownHooks,
  otherFileOf,
  refuseBroken,
  writeSender,
} from '../tokens/sender-tokens.ts';
import type { Sender } from '../tokens/sender-tokens.ts';

/** Prints it once: what is kept, and only with `--for`, is its digest. */
export const tokenNew = defineCommand({
  name: 'new',
  description: 'print a new random token of 32 bytes (base64url), or give one to a sender',
  options: [
    option('--for <id>', 'of this sender: the token counts from now on, its digest is kept'),
    option('--hooks <names>', 'the hooks it may speak to, with commas (default: the id)', toList),
    option('--not-after <date>', 'its last day (2027-01-31), or moment in ISO 8601'),
    JSON_OPTION,
  ],
  examples: [
    ['hooks token new', 'print one, and keep it nowhere'],
    [
      '(umask 077; echo "HOOK_TOKEN=$(hooks token new)" >> .env)',
      'give the variable HOOK_TOKEN of gateway.json5 a value that no screen shows',
    ],
    ['hooks token new --for uptime-kuma', 'a token for the hook uptime-kuma and no other'],
    ['hooks token new --for ci --hooks wake,deploys', 'a token for two hooks'],
    [
      'hooks token new --for uptime-kuma',
      'once more: a second one beside the first, to replace it without losing a request',
    ],
  ],
  async action(context, options) {
    const { terminal } = context;
    const { for: id, hooks, notAfter, json = false } = options;
    const token = newToken();
    if (id !== undefined) {
      const made = await addToken(context, { id, hooks, notAfter }, writtenDigest(token));
      if (json) return terminal.printJson({ token, ...made });
    } else if (hooks !== undefined || notAfter !== undefined) {
      throw new CliError('--hooks and --not-after need --for', undefined, EXIT.usage);
    }
    if (json) terminal.printJson({ token });
    else terminal.print(token);
  },
});

interface Wanted {
  readonly id: string;
  readonly hooks: readonly string[] | undefined;
  readonly notAfter: string | undefined;
}

/** Adds a secret to the sender, which may be new; says what it opens. @throws CliError; nothing was changed then */
async function addToken(
  { inspect, env, terminal }: CommandContext,
  { id, hooks, notAfter }: Wanted,
  digest: string,
): Promise<Omit<Sender, 'tokens'> & { file: string }> {
  checkId(id);
  const here = await inspect();
  refuseBroken(here);
  const elsewhere = otherFileOf(here, id);
  if (elsewhere !== undefined) {
    throw new CliError(
      `${elsewhere} has a sender "${id}" already`,
      'your own files are not edited: add a token there, or give another name',
    );
  }
  const kept = keptSender(here, id);
  const end = notAfter ?? kept?.notAfter;
  const about = {
    id,
    hooks: hooks ?? kept?.hooks ?? [id],
    ...(end !== undefined && { notAfter: end }),
  };
  const sender = { ...about, tokens: [...(kept?.tokens ?? []), digest] };
  const file = await writeSender(here, sender, env, 'hooks token new');
  const known = knownHooks(here);
  const strange = about.hooks.filter((hook) => known?.has(hook) === false);
  terminal.note(
    `sender ${id} may speak to ${asLine(about.hooks.join(', '))}; kept in ${file}, a running service takes it in by itself`,
  );
  if (strange.length > 0) {
    terminal.note(`there is no hook of the name ${asLine(strange.join(', '))} yet`);
  }
  const { length } = sender.tokens;
  if (length > 1) {
    terminal.note(
      `it has ${length} tokens now: once the sender uses this one, run "hooks token retire ${id} --old"`,
    );
  }
  return { ...about, file };
}

function toList(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
