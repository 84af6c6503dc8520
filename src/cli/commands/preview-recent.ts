import { resolve } from 'node:path';
import { inspectConfiguration, tryNewestEvents } from '../../service/index.ts';
import type { Inspection, ResolvedSections, TriedEvent } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';
import { asLine, asShortLine } from '../foreign-text.ts';
import { paintFor } from '../text-layout.ts';
import type { Paint } from '../text-layout.ts';

/** Longest line of a text that is shown, in characters; `--json` has all of it. */
const LONGEST = 300;
/** As `diff`: 1 says that something differs, and so nothing else may. */
const COULD_NOT = EXIT.usage;

type Verdict = TriedEvent['verdict'];

/** In the order of the summary, and whether the event comes out differently. */
const VERDICTS: readonly (readonly [verdict: Verdict, isOther: boolean])[] = [
  ['same', false],
  ['other prompt', true],
  ['other agent or session', true],
  ['skipped', true],
  ['failed', true],
  ['no longer stored', false],
  ['a callback', false],
];
const OTHER = new Set<Verdict>(VERDICTS.filter(([, is]) => is).map(([verdict]) => verdict));

const HINT = 'Name both: hooks preview --recent 100 --config ./new';

interface Asked {
  readonly recent?: number;
  readonly config?: string;
  readonly json?: boolean;
}

/** Reads the ledger beside the service. Ends with 1 when an event comes out differently, with 2 when nobody can say. */
export async function previewRecent(
  context: CommandContext,
  { recent, config, json, ...others }: Asked,
  hook: string | undefined,
): Promise<void> {
  const isAlone = hook === undefined && Object.keys(others).length === 0;
  if (recent === undefined || config === undefined || !isAlone) {
    throw new CliError('--recent and --config go together, and alone.', HINT, EXIT.usage);
  }
  const { terminal, clock, cwd, env, inspect } = context;
  const present = sectionsOf(await inspect(), 'the present configuration');
  const other = sectionsOf(await inspectConfiguration(resolve(cwd, config), env), config);
  const events = await tryNewestEvents(present, other, recent, clock.now()).catch(couldNot);
  if (events.some(({ verdict }) => OTHER.has(verdict))) terminal.exitCode = EXIT.failed;
  if (json === true) return terminal.printJson({ events });
  const paint = paintFor(terminal);
  for (const line of events.flatMap((one) => eventLines(one, paint))) terminal.print(line);
  terminal.print(summaryLine(events));
}

/** @throws CliError */
function sectionsOf({ resolved, problems, isDemo }: Inspection, name: string): ResolvedSections {
  if (isDemo) throw new CliError(`${name} has no gateway.json5`, undefined, COULD_NOT);
  if (resolved !== undefined && problems.length === 0) return resolved;
  const [first] = problems;
  const why = first === undefined ? '' : `: ${first.key} ${first.message}`;
  throw new CliError(`${name} has problems${why}`, 'see "hooks config check"', COULD_NOT);
}

function couldNot(error: unknown): never {
  throw new CliError(error instanceof Error ? error.message : String(error), undefined, COULD_NOT);
}

function eventLines({ event, receivedAt, hook, verdict, differences }: TriedEvent, paint: Paint) {
  const told = OTHER.has(verdict) ? paint('yellow', verdict) : verdict;
  return [
    `${receivedAt} ${asLine(hook)} ${event}: ${told}`,
    ...differences.flatMap(({ what, before, after }) => [
      `  ${asLine(what)}`,
      ...(before === null ? [] : [paint('red', `  - ${asShortLine(before, LONGEST)}`)]),
      ...(after === null ? [] : [paint('green', `  + ${asShortLine(after, LONGEST)}`)]),
    ]),
  ];
}

/** `20 events: 14 same, 5 other prompt, 1 no longer stored`. */
function summaryLine(events: readonly TriedEvent[]): string {
  const counts = VERDICTS.map(([verdict]) => {
    const { length } = events.filter((one) => one.verdict === verdict);
    return length === 0 ? [] : [`${length} ${verdict}`];
  });
  const many = events.length === 1 ? '1 event' : `${events.length} events`;
  return [many, ...(events.length === 0 ? [] : [counts.flat().join(', ')])].join(': ');
}
