import type { LedgerInstance } from '../../hooks/index.ts';
import { CliError } from '../cli-error.ts';
import { asLine } from '../foreign-text.ts';
import type { ServiceClient } from '../service/service-client.ts';
import { serviceCommand } from '../service/service-command.ts';
import { age } from '../text-layout.ts';

/** The word by which a service is named on the command line. */
export const INSTANCE = 'its id or how that begins, its name, or its host';

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

/** Empties one service of work, before it is stopped or because something is wrong with it. */
export const drain = serviceCommand({
  name: 'drain',
  description: 'let one of several services begin no work, and the balancer move on',
  arguments: [['<instance>', INSTANCE]],
  examples: [
    ['hooks drain 6f1f0c1e', 'what it has begun goes on; the others do the rest'],
    ['hooks drain "$(hostname)"', 'the one on this machine, before it is stopped'],
  ],
  async ask({ service }, word) {
    const { id, name, underWay } = await instanceNamed(service, word);
    const drained = await service.ask('POST /ops/api/instances/{id}/drain', 'draining', {
      path: { id },
    });
    return { id, name, underWay, draining: drained.draining };
  },
  json: ({ id, draining }) => ({ id, draining }),
  print({ id, name, underWay }, { terminal }) {
    terminal.print(`${asLine(name)} starts no more work and is not ready: ${underWay} under way.`);
    terminal.note(`Until it ends, or: hooks resume ${id}`);
  },
});

/** @param word as {@link INSTANCE} says. @throws CliError when it names none, or several */
export async function instanceNamed(service: ServiceClient, word: string): Promise<LedgerInstance> {
  const { instances: list } = await service.ask('GET /ops/api/instances', 'instances', {});
  return findInstance(list, word);
}

/** @param list null: the ledger is a file. @throws CliError */
export function findInstance(list: readonly LedgerInstance[] | null, word: string): LedgerInstance {
  if (list === null) {
    throw new CliError(
      'the ledger is a file, which one service has alone',
      'to stop its intake and work: hooks pause',
    );
  }
  const found = list.filter(
    ({ id, name }) => id.startsWith(word) || name === word || name.startsWith(`${word} `),
  );
  const [instance, ...others] = found;
  if (instance === undefined) {
    throw new CliError(`no service of the ledger is called ${word}`, 'see: hooks instances');
  }
  if (others.length > 0) {
    const ids = found.map(({ id }) => id).join(', ');
    throw new CliError(`${found.length} services are called ${word}`, `name one of ${ids}`);
  }
  return instance;
}

/** Rows of the list, head first. */
function instanceTable(list: readonly LedgerInstance[], now: number): string[][] {
  const rows = list.map(({ id, name, version, draining, underWay, startedAt, isThis }) => [
    id,
    asLine(name),
    asLine(version ?? '?'),
    `${draining ? 'draining' : 'working'}${isThis ? ' (asked)' : ''}`,
    String(underWay),
    `${age(startedAt, now)} ago`,
  ]);
  return [['ID', 'NAME', 'VERSION', 'STATE', 'UNDER WAY', 'STARTED'], ...rows];
}
