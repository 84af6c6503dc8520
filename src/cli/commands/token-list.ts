import { ConfigurationError } from '../../hooks/index.ts';
import { JSON_OPTION, defineCommand } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import { age } from '../text-layout.ts';
import { shownTokens } from '../tokens/sender-tokens.ts';
import type { ShownToken } from '../tokens/sender-tokens.ts';

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
    if (here.resolved === undefined) throw new ConfigurationError(here.problems);
    const tokens = await shownTokens(here);
    if (json) return terminal.printJson({ tokens });
    if (tokens.length === 0) return terminal.note('There are no tokens.');
    terminal.printTable(tokenTable(tokens, clock.now()));
  },
});

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
