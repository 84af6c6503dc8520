import { addToken, newToken, strangeHooks } from '../../service/index.ts';
import type { Inspection, Sender } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { JSON_OPTION, defineCommand, option } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import type { Terminal } from '../terminal.ts';
import { explained } from '../tokens/sender-tokens.ts';

const COMMAND = 'hooks token new';

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
    const { terminal, env } = context;
    const { for: id, hooks, notAfter, json = false } = options;
    if (id === undefined) {
      if (hooks !== undefined || notAfter !== undefined) {
        throw new CliError('--hooks and --not-after need --for', undefined, EXIT.usage);
      }
      const token = newToken();
      return json ? terminal.printJson({ token }) : terminal.print(token);
    }
    const here = await context.inspect();
    const wanted = { id, hooks, notAfter };
    const { token, sender, file } = await explained(id, addToken(here, wanted, env, COMMAND));
    tell(sender, file, here, terminal);
    const { tokens: _digests, ...about } = sender;
    if (json) terminal.printJson({ token, ...about, file });
    else terminal.print(token);
  },
});

/** Says what the new token opens. */
function tell(
  { id, hooks, tokens: { length } }: Sender,
  file: string,
  here: Inspection,
  terminal: Terminal,
): void {
  const strange = strangeHooks(here, hooks);
  terminal.note(
    `sender ${id} may speak to ${asLine(hooks.join(', '))}; kept in ${file}, a running service takes it in by itself`,
  );
  if (strange.length > 0) {
    terminal.note(`no hook is named ${asLine(strange.join(', '))} yet`);
  }
  if (length > 1) {
    terminal.note(
      `it has ${length} tokens now: once the sender uses this one, run "hooks token retire ${id} --old"`,
    );
  }
}

function toList(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
