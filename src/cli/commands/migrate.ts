import { goBack } from '../../service/index.ts';
import type { WayBack } from '../../service/index.ts';
import { CliError } from '../cli-error.ts';
import { JSON_OPTION, defineCommand, oneOf, option, wrongValue } from '../command.ts';
import { configured } from '../configured.ts';
import type { Terminal } from '../terminal.ts';

const TO_FORM =
  'edition-<number>; a ledger comes into another store by "hooks backup" and "hooks restore"';

/** Builds of edition 1 looked for a `dedupeKey` under another name. */
const DEDUPE_KEYS =
  'What was accepted since the upgrade under a dedupeKey, of a mapping or a preset, is done once more if its sender sends it again within hooks.idempotencyHours. Idempotency-Key, delivery ids and signatures are known as before.';

/**
 * The way back from an upgrade: the ledger of `store.dir` gets the tables that an earlier build knows, with everything in it,
 * so that nothing is accepted or done twice. An earlier build reads no file of `hooks backup`.
 */
export const migrate = defineCommand({
  name: 'migrate',
  description: 'give the ledger of store.dir back to an earlier build',
  options: [
    option('--from <kind>', 'sqlite: the ledger of store.dir', oneOf('--from', ['sqlite'])),
    option('--to <edition>', 'edition-<number>: as an earlier build has it', editionIn),
    option('--dry-run', 'say what would be done, and do nothing'),
    JSON_OPTION,
  ],
  examples: [
    ['hooks migrate --from sqlite --to edition-1 --dry-run', 'what edition 1 has no place for'],
    [
      'hooks migrate --from sqlite --to edition-1',
      'the way back from an upgrade, with all that was accepted since',
    ],
  ],
  async action(context, { from, to, dryRun = false, json = false }) {
    if (from === undefined) throw wrongValue('--from', 'sqlite');
    if (to === undefined) throw wrongValue('--to', TO_FORM);
    const { dir, postgres } = (await configured(context)).store;
    if (postgres !== undefined) {
      throw new CliError(
        'the ledger is in PostgreSQL, where an earlier build goes on with it as it is',
        'stop the services of this build and start those of the earlier one (docs/upgrading.md)',
      );
    }
    const way = await goBack(dir, to, dryRun);
    if (json) context.terminal.printJson({ ...way, dir, isDryRun: dryRun });
    else show(dir, way, dryRun, context.terminal);
  },
});

function editionIn(text: string): number {
  const [, number] = /^edition-([1-9]\d{0,5})$/.exec(text) ?? [];
  if (number === undefined) throw wrongValue('--to', TO_FORM);
  return Number(number);
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
