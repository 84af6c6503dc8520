import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { restoreLedger } from '../../service/index.ts';
import { CliError } from '../cli-error.ts';
import { JSON_OPTION, defineCommand } from '../command.ts';
import { configured } from '../configured.ts';
import { asLine } from '../foreign-text.ts';
import { showRows } from './backup.ts';

/** Fills the empty store of this configuration with a ledger of `hooks backup`: all of it, or nothing. */
export const restore = defineCommand({
  name: 'restore',
  description: 'fill the empty store of this configuration with a ledger of "hooks backup"',
  arguments: [['<file>', 'a file of "hooks backup"; - is stdin']],
  options: [JSON_OPTION],
  examples: [
    ['hooks restore backup.jsonl', 'while no service uses the store'],
    ['gunzip -c backup.jsonl.gz | hooks restore -', 'the same through a pipe'],
  ],
  async action(context, { json = false }, file) {
    const { terminal, clock, cwd } = context;
    const sections = await configured(context);
    const input = file === '-' ? terminal.streams.stdin : createReadStream(resolve(cwd, file));
    const { store, rows } = await restoreLedger(sections, clock.now(), input).catch(
      (error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        throw new CliError(`Nothing was restored: ${why}`);
      },
    );
    if (json) {
      terminal.printJson({ store, rows });
      return;
    }
    showRows(rows, terminal);
    terminal.printWrapped(
      asLine(
        `The ledger is in ${store}, whole. Look with "hooks doctor", then start the service: what was under way goes on, and events can be searched once it has made its index.`,
      ),
    );
  },
});
