import type { AuditEntry } from '../../hooks/index.ts';
import { option } from '../command.ts';
import { asLine, asShortLine } from '../foreign-text.ts';
import { PAGE_OPTIONS, gatherPages, noteMore } from '../service/pages.ts';
import { serviceCommand } from '../service/service-command.ts';

const LONGEST_CHANGE = 500;

export const audit = serviceCommand({
  name: 'audit',
  description: 'list what operators did: who, when, what, and what was before and after',
  options: [
    option('--actor <id>', 'only of this token: operator, or one of ops.tokens; files: of files'),
    ...PAGE_OPTIONS,
  ],
  examples: [
    ['hooks audit', 'the last 20, the newest first'],
    ['hooks audit --actor ana --json', 'what Ana did, for a program'],
  ],
  ask: ({ service, options: { actor, ...page } }) =>
    gatherPages('entries', page, (query) =>
      service.ask('GET /ops/api/audit', 'entries', {
        query: { ...query, ...(actor !== undefined && { actor }) },
      }),
    ),
  print({ entries, nextCursor }, { terminal }) {
    if (entries.length === 0) terminal.note('Nothing was done, as far as it is kept.');
    for (const line of entries.flatMap((entry) => [...linesOf(entry)])) terminal.print(line);
    noteMore(nextCursor, terminal);
  },
});

function* linesOf(entry: AuditEntry): Generator<string> {
  const { at, actor, operation, subject, outcome, before, after } = entry;
  const of = subject === null ? '' : ` ${asLine(subject)}`;
  yield `${at} ${asLine(actor)} ${asLine(operation)}${of}: ${asLine(outcome)}`;
  if (before !== null || after !== null) yield `  ${told(before)} → ${told(after)}`;
}

function told(state: AuditEntry['before']): string {
  return state === null ? '?' : asShortLine(JSON.stringify(state), LONGEST_CHANGE);
}
