import { USAGE_BY, USAGE_KEPT_DAYS } from '../../hooks/index.ts';
import type { UsageBy, UsageLine } from '../../hooks/index.ts';
import { oneOf, option, wholeNumber } from '../command.ts';
import { asShortLine } from '../foreign-text.ts';
import { serviceCommand } from '../service/service-command.ts';

const LONGEST_NAME = 60;

export const usage = serviceCommand({
  name: 'usage',
  description: 'show the tokens that agents used and their cost, heartbeats apart',
  options: [
    option('--by <what>', `${USAGE_BY.join(', ')} (default: agent)`, oneOf('--by', USAGE_BY)),
    option(
      '--days <count>',
      `days in UTC, today among them, 1 to ${USAGE_KEPT_DAYS} (default: 30)`,
      wholeNumber('--days', 1, USAGE_KEPT_DAYS),
    ),
  ],
  examples: [
    ['hooks usage', 'of the last 30 days, by agent'],
    ['hooks usage --by model --days 1', 'of today, by model'],
  ],
  ask: ({ service, options: { by, days } }) =>
    service.ask('GET /ops/api/usage', 'usage', {
      query: { ...(by !== undefined && { by }), ...(days !== undefined && { days }) },
    }),
  print({ by, days, usage: lines }, { terminal }) {
    if (lines.length === 0) terminal.note(`No agent was asked in the last ${days} days.`);
    else terminal.printTable(usageTable(by, lines));
  },
});

function usageTable(by: UsageBy, lines: readonly UsageLine[]): string[][] {
  const rows = lines.map(({ name, kind, turns, inputTokens, outputTokens, ...rest }) => {
    const tokens = [inputTokens, outputTokens].map((count) => count.toLocaleString('en-US'));
    return [
      asShortLine(name === '' ? '-' : name, LONGEST_NAME),
      kind === 'run' ? 'runs' : 'heartbeats',
      turns.toLocaleString('en-US'),
      ...tokens.map((count) => known(count, rest.uncounted, turns)),
      known(`$${rest.cost.toFixed(2)}`, rest.unpriced, turns),
    ];
  });
  return [[by.toUpperCase(), 'OF', 'TURNS', 'INPUT', 'OUTPUT', 'COST'], ...rows];
}

/** What nobody counted, or what has no price, is not nothing. */
function known(sum: string, unknown: number, turns: number): string {
  if (unknown === 0) return sum;
  return unknown === turns ? '?' : `${sum} and ?`;
}
