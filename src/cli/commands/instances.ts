import type { LedgerInstance } from '../../hooks/index.ts';
import { asLine } from '../foreign-text.ts';
import { serviceCommand } from '../service/service-command.ts';
import { age } from '../text-layout.ts';

/** Who shares the ledger. */
export const instances = serviceCommand({
  name: 'instances',
  description: 'list the services that share the ledger, and how much each has under way',
  examples: [
    ['hooks instances', 'a line for each, the oldest first'],
    ['hooks instances --json', 'for a program'],
  ],
  ask: ({ service }) => service.ask('GET /ops/api/instances', 'instances', {}),
  print({ instances: list }, { terminal, now }) {
    if (list === null) terminal.note('The ledger is a file: this service has it alone.');
    else terminal.printTable(instanceTable(list, now));
  },
});

/** Rows of the list, head first. */
function instanceTable(list: readonly LedgerInstance[], now: number): string[][] {
  const rows = list.map(({ id, name, version, underWay, startedAt, isThis }) => [
    id,
    `${asLine(name)}${isThis ? ' (asked)' : ''}`,
    asLine(version ?? '?'),
    String(underWay),
    `${age(startedAt, now)} ago`,
  ]);
  return [['ID', 'NAME', 'VERSION', 'UNDER WAY', 'STARTED'], ...rows];
}
