import { ConfigurationError } from '../../hooks/index.ts';
import { keptSender, listTokens, readTokenUses } from '../../service/index.ts';
import type { Inspection, ListedToken } from '../../service/index.ts';
import { JSON_OPTION, defineCommand } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import { age } from '../text-layout.ts';

/** Every token of the configuration, and when a service last let a request in with it; never a token itself. */
export const tokenList = defineCommand({
  name: 'list',
  description: 'list the tokens of senders, what they open and when they were last used',
  options: [JSON_OPTION],
  examples: [
    ['hooks token list', 'a line for each; the last use is up to a minute old'],
    ['hooks token list --json', 'for a program'],
  ],
  async action({ inspect, terminal, clock }, { json = false }) {
    const here = await inspect();
    const tokens = await shownTokens(here, clock.now());
    if (json) return terminal.printJson({ tokens });
    if (tokens.length === 0) return terminal.note('There are no tokens.');
    terminal.printTable(tokenTable(tokens, clock.now()));
  },
});

/** A token, and where it is written. */
type ShownToken = Pick<ListedToken, 'id' | 'secret' | 'hooks' | 'notAfter' | 'lastUsedAt'> & {
  readonly file: string;
};

/** @throws ConfigurationError where the files say nothing */
async function shownTokens(here: Inspection, now: number): Promise<ShownToken[]> {
  const { resolved, merged, problems } = here;
  if (resolved === undefined) throw new ConfigurationError(problems);
  const uses = [await readTokenUses(resolved.store.dir)];
  const isKeptHere = (id: string): boolean => keptSender(here, id) !== undefined;
  return listTokens(resolved.hooks, uses, now, isKeptHere).map(
    ({ key, id, secret, hooks, notAfter, lastUsedAt }) => {
      return { id, secret, hooks, notAfter, lastUsedAt, file: merged.filesOf(key)[0] };
    },
  );
}

/** Rows of the list, head first. */
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
