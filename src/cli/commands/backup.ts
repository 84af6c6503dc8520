import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { backUpLedger } from '../../service/index.ts';
import type { DumpedRows } from '../../service/index.ts';
import { CliError } from '../cli-error.ts';
import { JSON_OPTION, defineCommand } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { configured } from '../configured.ts';
import { asLine } from '../foreign-text.ts';
import type { Terminal } from '../terminal.ts';

/** Writes the ledger as it is at this moment as JSON lines, for `hooks restore`. A running service goes on. */
export const backup = defineCommand({
  name: 'backup',
  description: 'write the ledger to a file for "hooks restore", while the service runs',
  arguments: [['<file>', 'a new file, for its owner alone; - is stdout']],
  options: [JSON_OPTION],
  examples: [
    ['hooks backup backup.jsonl', 'everything that was accepted, and what became of it'],
    ['hooks backup - | gzip > backup.jsonl.gz', 'the same through a pipe'],
  ],
  async action(context, { json = false }, file) {
    const { terminal } = context;
    const { store, rows } = await (file === '-' ? toStdout(context) : toFile(file, context));
    const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
    if (file === '-') terminal.note(`${count} rows of the ledger in ${store} were written`);
    else if (json) terminal.printJson({ file, store, rows });
    else {
      showRows(rows, terminal);
      terminal.printWrapped(
        asLine(
          `The ledger in ${store} is in ${file}, for its owner alone: it holds payloads, prompts and replies. "hooks restore" fills an empty store with it. What is accepted from now on is not in it.`,
        ),
      );
    }
  },
});

export function showRows(rows: DumpedRows['rows'], terminal: Terminal): void {
  terminal.printTable([
    ['TABLE', 'ROWS'],
    ...Object.entries(rows).map(([table, count]) => [asLine(table), String(count)]),
  ]);
  terminal.print();
}

async function toStdout(context: CommandContext): Promise<DumpedRows> {
  const { stdout } = context.terminal.streams;
  const write = (text: string) =>
    new Promise<void>((resolved, reject) => {
      stdout.write(text, (error) => (error ? reject(error) : resolved()));
    });
  return backUpLedger(await configured(context), context.clock.now(), write);
}

/** On disk when it is told of. Half of one is removed. */
async function toFile(name: string, context: CommandContext): Promise<DumpedRows> {
  const sections = await configured(context);
  const path = resolve(context.cwd, name);
  const file = await open(path, 'wx', 0o600).catch(({ code }: NodeJS.ErrnoException) => {
    throw code === 'EEXIST'
      ? new CliError(`${name} is there already`, 'name another file, or remove it')
      : new CliError(`${name} cannot be made (${code})`);
  });
  try {
    const written = await backUpLedger(sections, context.clock.now(), (text) =>
      file.appendFile(text),
    );
    await file.sync();
    return written;
  } catch (error) {
    await rm(path);
    throw error;
  } finally {
    await file.close();
  }
}
