import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { MailStoreHeld, MailWatcher } from '../../mail/index.ts';
import type { WatcherDependencies } from '../../mail/index.ts';
import { mailTarget } from '../../service/index.ts';
import type { Inspection } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { ExitCode } from '../cli-error.ts';
import { JSON_OPTION, defineCommand, option } from '../command.ts';
import { safeJson } from '../foreign-text.ts';
import { givenUrl } from '../service/service-place.ts';
import type { Terminal } from '../terminal.ts';

/*
 * The watcher is a sender like any other: it posts to the hook `mail` with the hook token. Its state goes to stdout
 * (`--json`), its log to stderr; SIGINT ends it with 130, SIGTERM with 0.
 */

const LOOK_MS = 250;

/** The same watcher as in the service, in a process of its own; the data directory holds one at a time. */
export const mailRun = defineCommand({
  name: 'run',
  description:
    'watch the mailbox of hooks.mail and send new mail to the service, until it is stopped; not while the service does so itself',
  options: [
    option('--url <url>', 'where the service listens', (url) => givenUrl(url).href),
    JSON_OPTION,
  ],
  examples: [
    ['hooks mail run', 'watch, and send to the service of this configuration'],
    ['hooks mail run --url http://127.0.0.1:18790', 'to a service that listens elsewhere'],
    ['hooks mail run --json', 'print the state as one JSON document a line, at every change'],
  ],
  async action({ terminal, inspect }, { json = false, url }) {
    const watched = watchedMail(await inspect(), url);
    terminal.exitCode = await watch(watched, terminal, json);
  },
});

/** What is watched, and where it is sent to. @param url where the service listens; default: as configured. @throws CliError */
function watchedMail(
  { resolved, problems }: Inspection,
  url: string | undefined,
): WatcherDependencies {
  if (resolved === undefined || problems.length > 0) {
    throw new CliError('the configuration has problems', 'see "hooks config check"');
  }
  const { mail, store, hooks, gateway } = resolved;
  if (mail === undefined) {
    throw new CliError(
      'hooks.mail is not configured',
      'run "hooks mail setup", or see docs/mail.md',
    );
  }
  if (store.postgres !== undefined) {
    throw new CliError(
      'services that share store.postgres read the mail themselves, one at a time',
      'start one of them; none needs a watcher beside it',
    );
  }
  if (url === undefined && gateway.port === 0) {
    throw new CliError(
      'gateway.port is 0, so the port of the service is not known here',
      'give --url',
    );
  }
  const host = gateway.host.includes(':') ? `[${gateway.host}]` : gateway.host;
  const target = mailTarget(url ?? `http://${host}:${gateway.port}`, hooks);
  return { mail, dir: store.dir, target: () => target };
}

/** Watches until SIGINT or SIGTERM; the watcher's log goes to stderr. @throws CliError when another watcher is there */
async function watch(
  watched: WatcherDependencies,
  terminal: Terminal,
  json: boolean,
): Promise<ExitCode> {
  const watcher = createWatcher(watched);
  const note = (line: unknown): void => terminal.note(String(line));
  Logger.overrideLogger({ log: note, warn: note, error: note });
  terminal.note(`Watching the mail of ${watched.mail.account}; stop with Ctrl-C.`);
  watcher.start();
  // Also what keeps the process alive while it waits for a connection.
  const looking = setInterval(json ? printChanges(watcher, terminal) : () => {}, LOOK_MS);
  const interrupted = once(process, 'SIGINT').then(() => EXIT.interrupted);
  const exit = await Promise.race([interrupted, once(process, 'SIGTERM').then(() => EXIT.fine)]);
  clearInterval(looking);
  await watcher.stop();
  return exit;
}

/** @throws CliError when another process watches with the same data directory */
function createWatcher(watched: WatcherDependencies): MailWatcher {
  try {
    mkdirSync(watched.dir, { recursive: true, mode: 0o700 });
    return new MailWatcher(watched);
  } catch (error) {
    if (!(error instanceof MailStoreHeld)) throw error;
    const hint = 'stop the other "hooks mail run", or remove hooks.mail from the running service';
    throw new CliError(error.message, hint);
  }
}

function printChanges(watcher: MailWatcher, terminal: Terminal): () => void {
  let printed = '';
  return () => {
    const report = watcher.report();
    const states = report.mailboxes.map(({ state, delivered }) => `${state} ${delivered}`).join();
    if (states === printed) return;
    printed = states;
    terminal.print(safeJson(report, 0));
  };
}
