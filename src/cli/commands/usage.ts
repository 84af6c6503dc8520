import { USAGE_BY, USAGE_KEPT_DAYS } from '../../hooks/index.ts';
import type { UsageBy, UsageLine } from '../../hooks/index.ts';
import { oneOf, option, wholeNumber } from '../command.ts';
import { asShortLine } from '../foreign-text.ts';
import { serviceCommand } from '../service/service-command.ts';

const LONGEST_NAME = 60;

/** What agents used, and what it cost. */
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
    if (lines.length === 0) terminal.note(`No turn of the last ${days} days said what it used.`);
    else terminal.printTable(usageTable(by, lines));
  },
});

function usageTable(by: UsageBy, lines: readonly UsageLine[]): string[][] {
  const rows = lines.map(({ name, kind, turns, inputTokens, outputTokens, ...paid }) => [
    asShortLine(name === '' ? '-' : name, LONGEST_NAME),
    kind === 'run' ? 'runs' : 'heartbeats',
    ...[turns, inputTokens, outputTokens].map((count) => count.toLocaleString('en-US')),
    costOf(paid),
  ]);
  return [[by.toUpperCase(), 'OF', 'TURNS', 'INPUT', 'OUTPUT', 'COST'], ...rows];
}

/** What has no price is not free. */
function costOf({ cost, unpriced }: Pick<UsageLine, 'cost' | 'unpriced'>): string {
  const dollars = `$${cost.toFixed(2)}`;
  if (unpriced === 0) return dollars;
  return cost === 0 ? '?' : `${dollars} and ?`;
}
