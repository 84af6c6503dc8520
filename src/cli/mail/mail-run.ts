import { once } from 'node:events';
import { Logger } from '@nestjs/common';
import { MailStoreHeld, MailWatcher } from '../../mail/index.ts';
import type { WatcherSurroundings } from '../../mail/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { ExitCode } from '../cli-error.ts';
import { safeJson } from '../foreign-text.ts';
import type { Terminal } from '../terminal.ts';

/** How often the state is looked at for `--json`, in milliseconds. */
const LOOK_MS = 250;

/**
 * Watches until SIGINT or SIGTERM; the watcher's log goes to stderr.
 * @throws CliError when another watcher is there
 */
export async function runMail(
  order: WatcherSurroundings,
  terminal: Terminal,
  json: boolean,
): Promise<ExitCode> {
  const watcher = watcherOf(order);
  const note = (line: unknown): void => terminal.note(String(line));
  Logger.overrideLogger({ log: note, warn: note, error: note });
  terminal.note(`Watching the mail of ${order.mail.account}; stop with Ctrl-C.`);
  watcher.start();
  // Also what keeps the process alive while it waits for a connection.
  const looking = setInterval(showChanges(watcher, terminal, json), LOOK_MS);
  const interrupted = once(process, 'SIGINT').then(() => EXIT.interrupted);
  const exit = await Promise.race([interrupted, once(process, 'SIGTERM').then(() => EXIT.fine)]);
  clearInterval(looking);
  await watcher.stop();
  return exit;
}

function watcherOf(order: WatcherSurroundings): MailWatcher {
  try {
    return new MailWatcher(order);
  } catch (error) {
    if (!(error instanceof MailStoreHeld)) throw error;
    const hint = 'stop the other "hooks mail run", or remove hooks.mail from the running service';
    throw new CliError(error.message, hint);
  }
}

/** With `--json`: the report, whenever a state in it is another one. */
function showChanges(watcher: MailWatcher, terminal: Terminal, json: boolean): () => void {
  let shown = '';
  return () => {
    if (!json) return;
    const report = watcher.report();
    const states = report.mailboxes.map(({ state, delivered }) => `${state} ${delivered}`).join();
    if (states === shown) return;
    shown = states;
    terminal.print(safeJson(report, 0));
  };
}
