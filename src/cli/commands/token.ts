import { ConfigurationError } from '../../hooks/index.ts';
import {
  ROLES,
  addToken,
  endOperatorToken,
  giveOperatorToken,
  inheritedIds,
  keptSender,
  listTokens,
  newToken,
  readTokenUses,
  retireTokens,
  strangeHooks,
} from '../../service/index.ts';
import type { Inspection, ListedToken, Sender } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { JSON_OPTION, defineCommand, oneOf, option } from '../command.ts';
import type { CommandContext, CommandGroup, OptionValues } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import { explained } from '../senders/sender-tokens.ts';
import { findService } from '../service/find-service.ts';
import type { Terminal } from '../terminal.ts';
import { age } from '../text-layout.ts';

/*
 * Kept as digests, in one fragment per sender (gateway.d), which a running service takes in within a second. A sender may
 * have several at a time: make the second (`new --for`), enter it at the sender, end the first (`retire --old`).
 */

const COMMAND = 'hooks token new';

const NEW_OPTIONS = [
  option('--for <id>', 'of this sender: the token counts from now on, its digest is kept'),
  option('--hooks <names>', 'the hooks it may speak to, with commas (default: the id)', toList),
  option('--not-after <date>', 'its last day (2027-01-31), or moment in ISO 8601'),
  option('--operator <id>', 'of this operator instead, in place of the one they have (ops.tokens)'),
  option('--role <role>', `what the operator may do: ${ROLES.join(', ')}`, oneOf('--role', ROLES)),
  JSON_OPTION,
] as const;

/** Prints it once: what is kept, and only with `--for`, is its digest. */
const tokenNew = defineCommand({
  name: 'new',
  description: 'print a new random token of 32 bytes (base64url), or give one to a sender',
  options: NEW_OPTIONS,
  examples: [
    ['hooks token new', 'print one, and keep it nowhere'],
    [
      '(umask 077; echo "HOOK_TOKEN=$(hooks token new)" >> .env)',
      'give the variable HOOK_TOKEN of gateway.json5 a value that no screen shows',
    ],
    ['hooks token new --for uptime-kuma', 'a token for the hook uptime-kuma and no other'],
    ['hooks token new --for ci --hooks wake,deploys', 'a token for two hooks'],
    [
      'hooks token new --operator ana --role operate',
      'Ana may retry and pause, and make no tokens',
    ],
    [
      'hooks token new --for uptime-kuma',
      'once more: a second one beside the first, to replace it without losing a request',
    ],
  ],
  async action(context, options) {
    const { terminal, env } = context;
    const { for: id, hooks, notAfter, operator, role, json = false } = options;
    if (operator !== undefined || role !== undefined) return newOperator(context, options);
    if (id === undefined) {
      if (hooks !== undefined || notAfter !== undefined) {
        throw new CliError(
          '--hooks and --not-after need --for, or --operator',
          undefined,
          EXIT.usage,
        );
      }
      const token = newToken();
      return json ? terminal.printJson({ token }) : terminal.print(token);
    }
    const here = await context.inspect();
    const wanted = { id, hooks, notAfter };
    const { token, sender, file } = await explained(
      id,
      addToken(here, wanted, env, COMMAND, context.clock.now()),
    );
    tell(sender, file, here, terminal);
    if (here.resolved !== undefined) {
      const uses = await readTokenUses(here.resolved.store.dir);
      for (const warning of inheritedIds({ tokens: [sender] }, uses).values()) {
        terminal.note(`${terminal.styleNote('yellow', 'warning')} ${warning}`);
      }
    }
    const { tokens: _digests, ...about } = sender;
    if (json) terminal.printJson({ token, ...about, file });
    else terminal.print(token);
  },
});

/** Prints it once, too; its digest is kept. */
async function newOperator(
  { inspect, env, terminal, clock }: CommandContext,
  given: OptionValues<typeof NEW_OPTIONS>,
): Promise<void> {
  const { operator: id, role, for: sender, hooks, notAfter, json = false } = given;
  if (id === undefined || role === undefined) {
    throw new CliError('--operator and --role go together', undefined, EXIT.usage);
  }
  if (sender !== undefined || hooks !== undefined) {
    throw new CliError('--for and --hooks are of senders', undefined, EXIT.usage);
  }
  const wanted = { id, role, notAfter };
  const giving = giveOperatorToken(await inspect(), wanted, env, COMMAND, clock.now());
  const { token, file, isReplaced } = await explained(id, giving);
  terminal.note(`${id} may ${role}; kept in ${file}, a running service reloads it`);
  if (isReplaced) terminal.note('the token before counts no more, and its sessions have ended');
  if (json) terminal.printJson({ token, id, role, notAfter, file });
  else terminal.print(token);
}

function tell(
  { id, hooks, tokens: { length } }: Sender,
  file: string,
  here: Inspection,
  terminal: Terminal,
): void {
  const strange = strangeHooks(here, hooks);
  terminal.note(
    `sender ${id} may call ${asLine(hooks.join(', '))}; kept in ${file}, a running service reloads it`,
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

/** Every token of the configuration, and when a service last let a request in with it; never a token itself. */
const tokenList = defineCommand({
  name: 'list',
  description: 'list the tokens of senders, what they open and when they were last used',
  options: [JSON_OPTION],
  examples: [
    ['hooks token list', 'a line for each; the last use as the running service tells it'],
    ['hooks token list --json', 'for a program'],
  ],
  async action(context, { json = false }) {
    const { terminal, clock } = context;
    const tokens = await shownTokens(context);
    if (json) return terminal.printJson({ tokens });
    if (tokens.length === 0) return terminal.note('There are no tokens.');
    terminal.printTable(tokenTable(tokens, clock.now()));
  },
});

type ShownToken = Pick<ListedToken, 'id' | 'secret' | 'hooks' | 'notAfter' | 'lastUsedAt'> & {
  readonly file: string;
};

/** @throws ConfigurationError where the files say nothing */
async function shownTokens(context: CommandContext): Promise<ShownToken[]> {
  const here = await context.inspect();
  const { resolved, merged, problems } = here;
  if (resolved === undefined) throw new ConfigurationError(problems);
  const uses = [await readTokenUses(resolved.store.dir)];
  const told = await toldUses(context);
  const files = {
    isKeptHere: (id: string): boolean => keptSender(here, id) !== undefined,
    written: here.written,
  };
  return listTokens(resolved.hooks, uses, context.clock.now(), files).map(
    ({ key, id, secret, hooks, notAfter, lastUsedAt: writtenAt }) => {
      const lastUsedAt = told.get(key) ?? writtenAt;
      return { id, secret, hooks, notAfter, lastUsedAt, file: merged.filesOf(key)[0] };
    },
  );
}

/** By the key of the token: what the service writes down only once a minute. Nothing where none runs. */
async function toldUses(context: CommandContext): Promise<ReadonlyMap<string, string | null>> {
  try {
    const service = await findService(context, {});
    const { tokens } = await service.ask('GET /ops/api/tokens', 'tokens', {});
    return new Map(tokens.map(({ key, lastUsedAt }) => [key, lastUsedAt]));
  } catch (error) {
    if (error instanceof CliError) return new Map();
    throw error;
  }
}

function tokenTable(tokens: readonly ShownToken[], now: number): string[][] {
  const rows = tokens.map(({ id, secret, hooks, notAfter, lastUsedAt }) => [
    id === null ? 'hooks.token' : asLine(id),
    secret,
    asLine(hooks.join(', ')),
    notAfter ?? 'never',
    lastUsedAt === null ? 'never' : `${age(lastUsedAt, now)} ago`,
  ]);
  return [['SENDER', 'SECRET', 'HOOKS', 'ENDS', 'LAST USED'], ...rows];
}

const tokenRetire = defineCommand({
  name: 'retire',
  description: 'end the token of a sender that "hooks token new --for" made',
  arguments: [['<id>', 'name of the sender']],
  options: [
    option('--old', 'all of its tokens but the newest'),
    option('--all', 'all of its tokens'),
    option('--operator', 'of an operator, not of a sender: their sessions end, too'),
  ],
  examples: [
    ['hooks token retire uptime-kuma', 'its only token no longer counts'],
    ['hooks token retire uptime-kuma --old', 'only the newest counts from now on'],
    ['hooks token retire ana --operator', 'the token of Ana, who operated'],
  ],
  async action({ inspect, env, terminal }, { old = false, all = false, operator = false }, id) {
    if (operator && !old && !all) {
      await explained(id, endOperatorToken(await inspect(), id, env, COMMAND));
      return terminal.note(`${id} operates no more; a running service reloads it`);
    }
    if (operator) throw new CliError('an operator has one token', undefined, EXIT.usage);
    if (old && all) throw new CliError('--old and --all do not go together', undefined, EXIT.usage);
    const which = old ? 'old' : all ? 'all' : undefined;
    const here = await inspect();
    const retiring = retireTokens(here, id, which, env, 'hooks token new');
    const { before, left } = await explained(id, retiring);
    if (left === before) return terminal.note(`sender ${id} has no older token`);
    terminal.note(
      left === 0
        ? `sender ${id} is gone; a running service reloads it`
        : `sender ${id} has one token now; a running service reloads it`,
    );
  },
});

export const token: CommandGroup = {
  name: 'token',
  description: 'make, list and end the tokens of senders, make and end those of operators',
  examples: [
    ['hooks token new', 'print a token that nobody guesses'],
    ['hooks token new --for uptime-kuma', 'a token for one sender and its hook'],
    ['hooks token list', 'what opens which hook, and when it was last used'],
  ],
  commands: [tokenList, tokenNew, tokenRetire],
};
