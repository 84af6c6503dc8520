import { moveLedger, planMove } from '../../service/index.ts';
import type {
  ComparedTable,
  Move,
  MoveProgress,
  MoveResult,
  PlannedMove,
} from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { JSON_OPTION, defineCommand, oneOf, option, wrongValue } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { configured, migrateBack, told } from './migrate-back.ts';
import { Progress } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';
import { localTime } from '../text-layout.ts';

/*
 * 1. `--dry-run` says how many rows each table has and whether they can be carried; nothing is written anywhere.
 * 2. Without it the rows are copied in steps, each with a mark of how far that is. An interruption, also a kill, costs
 *    one step; the same command goes on there. Until the end no service opens the new ledger.
 * 3. Both sides are compared, digest by digest. Only when all are the same is the new ledger a service's, and the
 *    report says what to change in the configuration. Exit code 1: they differ, and the old ledger goes on being the
 *    one in force.
 * 4. Called once more after that, it says that the ledger was carried already, and that is no failure.
 */

const EDITION = 'edition-';
const TO_FORM =
  'postgres, an address (postgres://user:password@host:5432/database), or edition-<number>';

/**
 * Carries the ledger of `store.dir` into a PostgreSQL, and compares both. Nothing in the directory changes; what was
 * interrupted goes on when it is called again. `--to edition-…` is migrate-back.ts.
 */
export const migrate = defineCommand({
  name: 'migrate',
  description: 'carry the ledger of store.dir into a PostgreSQL, or back to an earlier build',
  options: [
    option('--from <kind>', 'sqlite: the ledger of store.dir', oneOf('--from', ['sqlite'])),
    option(
      '--to <place>',
      'postgres: that of store.postgres; its address; or edition-<number>: as an earlier build has it',
      placeIn,
    ),
    option('--dry-run', 'say what would be done, and do nothing'),
    JSON_OPTION,
  ],
  examples: [
    [
      'hooks migrate --from sqlite --to postgres --dry-run',
      'what there is, and whether it can be done',
    ],
    [
      'hooks migrate --from sqlite --to postgres',
      'carry and compare it; again after an interruption',
    ],
    [
      'hooks migrate --from sqlite --to edition-1',
      'the way back from an upgrade, with all that was accepted since',
    ],
  ],
  async action(context, { from, to, dryRun = false, json = false }) {
    const { terminal } = context;
    if (from === undefined) throw wrongValue('--from', 'sqlite');
    if (to === undefined) throw wrongValue('--to', TO_FORM);
    if (to.startsWith(EDITION)) {
      await migrateBack(context, Number(to.slice(EDITION.length)), { isDryRun: dryRun, json });
      return;
    }
    const move = await moveOf(context, to);
    if (dryRun) {
      const plan = await told(() => planMove(move));
      if (json) terminal.printJson({ ...plan, from: move.from, isDryRun: true });
      else if (!showCarried(move, plan, context)) showPlan(move, plan, terminal);
      return;
    }
    const result = await moved(move, context);
    const isSame = result.tables.every((table) => table.isSame);
    if (json) terminal.printJson({ ok: isSame, ...result, from: move.from });
    else if (!showCarried(move, result, context)) showResult(move, result, terminal);
    if (isSame) return;
    if (json) terminal.exitCode = EXIT.failed;
    else throw differs(result);
  },
});

function placeIn(text: string): string {
  if (
    text === 'postgres' ||
    /^edition-[1-9]\d{0,5}$/.test(text) ||
    (/^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text))
  )
    return text;
  throw wrongValue('--to', TO_FORM);
}

async function moveOf(context: CommandContext, to: string): Promise<Move> {
  const resolved = await configured(context);
  const { dir, postgres } = resolved.store;
  const mailAccount = resolved.mail?.account;
  const schema = postgres?.schema ?? 'hooks';
  if (to !== 'postgres') return { from: dir, to: { url: to, schema }, mailAccount };
  if (postgres === undefined) {
    const hint = 'set store.postgres.url, or name its address: --to postgres://…';
    throw new CliError('store.postgres is not configured', hint);
  }
  return { from: dir, to: { url: postgres.url, schema }, mailAccount };
}

/** Tells how far it is, where that is a terminal. */
function moved(move: Move, { terminal, clock }: CommandContext): Promise<MoveResult> {
  return told(async () => {
    using progress = new Progress(terminal);
    return await moveLedger(move, clock.now(), (at) => progress.show(lineOf(at)));
  });
}

function lineOf({ doing, table, done, of }: MoveProgress): string {
  const verb = doing === 'carry' ? 'Carrying' : 'Comparing';
  return `${verb} ${table}: ${done} of ${of}`;
}

/** @returns whether it was carried before this command began */
function showCarried(
  { from }: Move,
  { carriedAt, to }: Pick<MoveResult, 'carriedAt' | 'to'>,
  { terminal, clock }: CommandContext,
): boolean {
  if (carriedAt === null) return false;
  const when = localTime(carriedAt, clock.now());
  terminal.printWrapped(
    `The ledger of ${from} was carried into the ${to} already, ${when}, whole and compared. Nothing was carried again.`,
  );
  return true;
}

function showPlan({ from }: Move, plan: PlannedMove, terminal: Terminal): void {
  terminal.printTable([
    ['TABLE', 'ROWS'],
    ...plan.tables.map(({ table, rows }) => [table, String(rows)]),
  ]);
  terminal.print();
  const verb = plan.isResumed ? 'would go on to be carried' : 'would be carried';
  terminal.printWrapped(`This ledger of ${from} ${verb} into the ${plan.to}. Nothing was changed.`);
  showInterrupted(plan, terminal);
}

function showResult({ from }: Move, result: MoveResult, terminal: Terminal): void {
  terminal.printTable([
    ['TABLE', 'ROWS', 'CARRIED', 'DIGEST', 'COMPARED'],
    ...result.tables.map((table) => [
      table.table,
      String(table.rows),
      String(table.carried),
      table.digest.slice(0, 12),
      table.isSame ? 'the same' : terminal.style('red', 'DIFFERENT'),
    ]),
  ]);
  terminal.print();
  for (const table of result.tables) showChanges(table, terminal);
  showInterrupted(result, terminal);
  if (!result.tables.every((table) => table.isSame)) return;
  terminal.printWrapped(`The ledger of ${from} is in the ${result.to}, whole and compared.`);
  for (const [at, step] of nextSteps(from, result).entries()) {
    terminal.printWrapped(step, { first: `${at + 1}. `, rest: '   ' });
  }
}

function showChanges({ table, leftOut, replaced }: ComparedTable, terminal: Terminal): void {
  if (leftOut > 0) {
    terminal.printWrapped(`${table}: ${leftOut} rows of events that are gone were left out.`);
  }
  if (replaced > 0) {
    terminal.printWrapped(
      `${table}: ${replaced} rows had characters that PostgreSQL cannot hold (U+0000); they are U+FFFD now.`,
    );
  }
}

function showInterrupted(
  { interrupted }: Pick<MoveResult, 'interrupted'>,
  terminal: Terminal,
): void {
  if (interrupted === 0) return;
  terminal.printWrapped(
    `${interrupted} runs or deliveries were under way when the service ended: they wait for their next attempt, as after any crash.`,
  );
}

function nextSteps(from: string, { isPaused }: MoveResult): string[] {
  return [
    'Stop the old service if it runs; what it would accept now stays behind.',
    'Set store.postgres.url, and leave store.dir as it is: generated tokens are there.',
    'hooks doctor, then hooks start: the start says how it found the ledger. Events can be searched once the index is made anew, which happens while it runs.',
    ...(isPaused ? ['hooks resume: the pause was carried with the rest.'] : []),
    `Keep ledger.db of ${from} until the service has done its work here for some days, and never start a service on it again; then remove ledger.db, ledger.db-wal, ledger.db-shm and search.db.`,
  ];
}

function differs({ tables, to }: MoveResult): CliError {
  const different = tables.filter((table) => !table.isSame).map(({ table }) => table);
  return new CliError(
    `what was carried into the ${to} differs from the ledger in ${different.join(', ')}; no service starts on it`,
    'drop the schema and begin anew while no service uses the ledger',
  );
}
