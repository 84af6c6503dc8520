import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { importLedger, isDump } from '../../service/index.ts';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';
import { configured } from '../configured.ts';
import { asLine } from '../foreign-text.ts';
import { showRows } from './export.ts';

const STDIN = '-';
/** More than enough to tell a ledger from a configuration. */
const BEGINNING = 100;

/** Whether `hooks import` was given a ledger that `hooks export` wrote, and no configuration of another gateway. */
export async function isLedger(path: string): Promise<boolean> {
  if (path === STDIN) return true;
  const file = await open(path).catch(() => null);
  if (file === null) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
    return isDump(buffer.toString('utf8', 0, bytesRead));
  } catch {
    return false;
  } finally {
    await file.close();
  }
}

/** Fills the empty store of this configuration with a ledger: all of it, or nothing. */
export async function importFrom(
  path: string,
  context: CommandContext,
  json: boolean,
): Promise<void> {
  const { terminal, clock } = context;
  const sections = await configured(context);
  const input = path === STDIN ? terminal.streams.stdin : createReadStream(path);
  const { store, rows } = await importLedger(sections, clock.now(), input).catch(
    (error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new CliError(`Nothing was imported: ${why}`);
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
}
