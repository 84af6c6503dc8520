import { goBack } from '../../service/index.ts';
import type { ResolvedSections, WayBack } from '../../service/index.ts';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';
import type { Terminal } from '../terminal.ts';

/** Builds of edition 1 looked for a `dedupeKey` under another name. */
const DEDUPE_KEYS =
  'What was accepted since the upgrade under a dedupeKey, of a mapping or a preset, is done once more if its sender sends it again within hooks.idempotencyHours. Idempotency-Key, delivery ids and signatures are known as before.';

/**
 * `hooks migrate --to edition-…`, the way back from an upgrade: the ledger gets the tables that an earlier build knows,
 * with everything in it, so that nothing is accepted or done twice.
 */
export async function migrateBack(
  context: CommandContext,
  edition: number,
  { isDryRun, json }: { readonly isDryRun: boolean; readonly json: boolean },
): Promise<void> {
  const { terminal } = context;
  const { dir, postgres } = (await configured(context)).store;
  if (postgres !== undefined) {
    throw new CliError(
      'the ledger is in PostgreSQL, where an earlier build goes on with it as it is',
      'stop the services of this build and start those of the earlier one (docs/upgrading.md)',
    );
  }
  const way = await told(() => goBack(dir, edition, isDryRun));
  if (json) terminal.printJson({ ...way, dir, isDryRun });
  else show(dir, way, isDryRun, terminal);
}

function show(
  dir: string,
  { from, to, events, waiting, leftOut, kept }: WayBack,
  isDryRun: boolean,
  terminal: Terminal,
): void {
  const becomes = isDryRun ? `would go back from edition ${from} to` : 'is of';
  terminal.printWrapped(
    `The ledger in ${dir} ${becomes} edition ${to}, with all of its events (${events}) and all that waits (${waiting}).`,
  );
  if (leftOut.length > 0) {
    terminal.printWrapped(`Edition ${to} has no place for, and lacks: ${leftOut.join(', ')}.`);
  }
  if (to === 1) terminal.printWrapped(DEDUPE_KEYS);
  if (isDryRun) {
    terminal.printWrapped('Nothing was changed.');
    return;
  }
  const steps = [
    'Start the earlier build; this one would upgrade it again.',
    `Keep ${kept} until you are content: it is the ledger as it was before this command. No build opens it under that name; it holds payloads, so remove it then.`,
  ];
  for (const [at, step] of steps.entries()) {
    terminal.printWrapped(step, { first: `${at + 1}. `, rest: '   ' });
  }
}

/** @throws CliError where there is no configuration that a service would start with */
export async function configured({ inspect }: CommandContext): Promise<ResolvedSections> {
  const { resolved, problems, isDemo } = await inspect();
  if (resolved === undefined || problems.length > 0) {
    throw new CliError('the configuration has problems', 'see "hooks config check"');
  }
  if (isDemo) throw new CliError('there is no configuration here, and so no ledger');
  return resolved;
}

/** What stands in the way is told as a sentence. */
export async function told<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new CliError(error instanceof Error ? error.message : String(error));
  }
}
