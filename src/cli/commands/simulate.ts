import { resolve } from 'node:path';
import { inspectConfiguration, simulate as run } from '../../service/index.ts';
import type {
  ChangedEvent,
  Inspection,
  ResolvedSections,
  Simulation,
  Totals,
} from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { JSON_OPTION, defineCommand, oneOf, option, pastTime, wholeNumber } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import { Progress, tableLines } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';
import { paintFor, section } from '../text-layout.ts';
import type { Paint } from '../text-layout.ts';

/** Events that are told one by one. */
const EXAMPLES = 10;
/** Longest value of a change in the report, in characters; `--json` has all of it. */
const LONGEST_VALUE = 300;
/** Of it, what both sides have in common before they differ. */
const SHOWN_BEFORE = 60;
/** As `diff`: 1 says that there is a difference, and so nothing else may. */
const COULD_NOT = EXIT.usage;

/**
 * Reads the ledger beside the service that has it, and changes nothing there. Ends with 1 when anything becomes otherwise,
 * with 2 when that cannot be said.
 */
export const simulate = defineCommand({
  name: 'simulate',
  description: 'show what a new configuration would have made of the events that came',
  options: [
    option('--config <directory>', 'the new configuration, with a gateway.json5 of its own'),
    option('--since <time>', 'a length of time such as 24h, or a date; by default 7d'),
    option('--until <time>', 'the same, for the end; by default now'),
    option(
      '--agent <replies>',
      'recorded: what agents said to the same prompt; none: they say nothing',
      oneOf('--agent', ['recorded', 'none']),
    ),
    option(
      '--limit <count>',
      `how many changed events to show, 0 to 1000; by default ${EXAMPLES}`,
      wholeNumber('--limit', 0, 1000),
    ),
    JSON_OPTION,
  ],
  examples: [
    ['hooks simulate --config ./new', 'the events of the last 7 days by ./new/gateway.json5'],
    ['hooks simulate --since 24h --config ./new --json', 'for a program; exit code 1: it differs'],
  ],
  async action(context, { config, since = '7d', until, agent = 'recorded', limit, json }) {
    const { terminal, clock } = context;
    if (config === undefined) {
      throw new CliError(
        '--config is missing.',
        'Name the directory of the new configuration.',
        EXIT.usage,
      );
    }
    const now = clock.now();
    const found = await withProgress(terminal, async (progress) =>
      run({
        before: sectionsOf(await context.inspect(), 'the present configuration'),
        after: await newSections(context, config),
        since: Date.parse(pastTime('--since', since, now)),
        until: until === undefined ? now : Date.parse(pastTime('--until', until, now)),
        agent,
        examples: limit ?? EXAMPLES,
        now,
        progress,
      }),
    ).catch(couldNot);
    if (found.changed > 0) terminal.exitCode = EXIT.failed;
    if (json === true) return terminal.printJson(found);
    for (const line of reportLines(found, terminal.wholeWidth, paintFor(terminal))) {
      terminal.print(line);
    }
  },
});

async function newSections(
  { cwd, env }: CommandContext,
  config: string,
): Promise<ResolvedSections> {
  return sectionsOf(await inspectConfiguration(resolve(cwd, config), env), config);
}

function sectionsOf({ resolved, problems, isDemo }: Inspection, name: string): ResolvedSections {
  if (isDemo) throw new CliError(`${name} has no gateway.json5`, undefined, COULD_NOT);
  if (resolved !== undefined && problems.length === 0) return resolved;
  const [first] = problems;
  const why = first === undefined ? '' : `: ${first.key} ${first.message}`;
  throw new CliError(`${name} has problems${why}`, 'see "hooks config check"', COULD_NOT);
}

async function withProgress<T>(
  terminal: Terminal,
  act: (progress: (events: number) => void) => Promise<T>,
): Promise<T> {
  using progress = new Progress(terminal);
  return await act((events) => progress.show(`${events} events`));
}

function couldNot(error: unknown): never {
  if (error instanceof CliError) throw error;
  throw new CliError(error instanceof Error ? error.message : String(error), undefined, COULD_NOT);
}

function reportLines(found: Simulation, columns: number, paint: Paint): string[] {
  const { since, until, events, leftOut, changed, hooks, examples } = found;
  const { forgotten, callbacks } = leftOut;
  const verdict =
    changed === 0 ? paint('green', 'nothing changes') : paint('yellow', `${changed} change`);
  const besides =
    forgotten + callbacks === 0
      ? []
      : [`Left out: ${forgotten} whose payload was forgotten, ${callbacks} callbacks of runs`];
  const title = examples.length < changed ? `The first ${examples.length} of them` : 'They are';
  return [
    `${paint('bold', `${events} events`)} from ${since} to ${until}: ${verdict}`,
    ...besides,
    ...section('In all', tableLines(totalRows(found), columns), paint),
    ...section('By hook', changed === 0 ? [] : tableLines(hookRows(hooks), columns), paint),
    ...section(
      title,
      examples.flatMap((one) => eventLines(one, paint)),
      paint,
    ),
  ];
}

type Counted = keyof Totals;

/** What is counted, how it is called, and whether it is told where there is none. */
const COUNTED: readonly (readonly [name: Counted, words: string, isAlways?: true])[] = [
  ['runs', 'runs', true],
  ['promptCharacters', 'characters of prompts', true],
  ['messages', 'messages', true],
  ['tokens', 'tokens', true],
  ['wakes', 'lines of wakes'],
  ['heartbeats', 'heartbeats asked for'],
  ['skipped', 'events skipped'],
  ['repeats', 'events that repeat others'],
  ['refused', 'events refused'],
  ['failed', 'events failed'],
];

function totalRows({ recorded, before, after }: Simulation): string[][] {
  const known: Partial<Totals> = recorded;
  const rows = COUNTED.filter(
    ([name, , isAlways]) => isAlways ?? before[name] + after[name] > 0,
  ).map(([name, words]) => [
    words,
    known[name] === undefined ? '' : countOf(name, { ...after, ...known }),
    countOf(name, before),
    countOf(name, after),
    changeOf(before[name], after[name]),
  ]);
  return [['', 'RECORDED', 'BEFORE', 'AFTER', ''], ...rows];
}

/** Tokens that nobody knows are no zero. */
function countOf(name: Counted, totals: Totals): string {
  const count = String(totals[name]);
  if (name !== 'tokens' || totals.unknown === 0) return count;
  const unknown = `unknown of ${totals.unknown} ${totals.unknown === 1 ? 'run' : 'runs'}`;
  return totals.tokens === 0 ? unknown : `${count}, ${unknown}`;
}

function changeOf(before: number, after: number): string {
  if (before === after) return '';
  return after > before ? `+${after - before}` : String(after - before);
}

function hookRows(hooks: Simulation['hooks']): string[][] {
  const arrow = (before: Totals, after: Totals, name: Counted): string => {
    const [was, is] = [countOf(name, before), countOf(name, after)];
    return was === is ? was : `${was} → ${is}`;
  };
  return [
    ['HOOK', 'RUNS', 'MESSAGES', 'TOKENS'],
    ...hooks.map(({ hook, before, after }) => [
      asLine(hook),
      arrow(before, after, 'runs'),
      arrow(before, after, 'messages'),
      arrow(before, after, 'tokens'),
    ]),
  ];
}

function eventLines({ event, receivedAt, hook, changes }: ChangedEvent, paint: Paint): string[] {
  return [
    paint('bold', `${receivedAt} ${asLine(hook)} ${event}`),
    ...changes.flatMap(({ what, before, after }) => {
      const [was, is] = atDifference(before ?? '', after ?? '');
      return [
        `  ${what}`,
        ...(before === null ? [] : [paint('red', `  - ${was}`)]),
        ...(after === null ? [] : [paint('green', `  + ${is}`)]),
      ];
    }),
  ];
}

/** Two texts in a line each, from shortly before where they differ. */
function atDifference(before: string, after: string): [string, string] {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const from = Math.min(before.length, after.length, at) - SHOWN_BEFORE;
  return [part(before, from), part(after, from)];
}

function part(text: string, from: number): string {
  const start = Math.max(0, from);
  const shown = text.slice(start, start + LONGEST_VALUE);
  return asLine(`${start > 0 ? '…' : ''}${shown}${start + LONGEST_VALUE < text.length ? '…' : ''}`);
}
