import { join } from 'node:path';
import type { Problem } from '../../hooks/index.ts';
import { GATEWAY_FILE } from '../../service/index.ts';
import { EXIT } from '../cli-error.ts';
import { JSON_OPTION, defineCommand } from '../command.ts';
import type { Terminal } from '../terminal.ts';

/** What is printed, as JSON or as sentences. */
interface ConfigurationCheck {
  readonly ok: boolean;
  /** gateway.json5; null in the demo, which has none. */
  readonly file: string | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Reads everything that the service would read, and changes nothing. Ends with 1 when there are problems; warnings alone are fine. */
export const configCheck = defineCommand({
  name: 'check',
  description: 'say everything that is wrong with the configuration, and how to mend it',
  options: [JSON_OPTION],
  examples: [
    ['hooks config check', 'check gateway.json5 and .env in this directory'],
    ['GATEWAY_CONFIG_DIR=/etc/hooks hooks config check', 'check those of another directory'],
    ['hooks config check --json', 'the same for a program; exit code 1 when there are problems'],
  ],
  async action({ terminal, inspect }, { json = false }) {
    const { dir, isDemo, problems, warnings } = await inspect();
    const file = isDemo ? null : join(dir, GATEWAY_FILE);
    const check = { ok: problems.length === 0, file, problems, warnings };
    if (json) terminal.printJson(check);
    else show(check, terminal);
    if (!check.ok) terminal.exitCode = EXIT.failed;
  },
});

/** Each problem and each warning as a sentence, after how many there are. */
function show({ file, problems, warnings }: ConfigurationCheck, terminal: Terminal): void {
  const place = file ?? 'The demo (there is no gateway.json5)';
  const counts = [count(problems, 'problem'), count(warnings, 'warning')].filter(Boolean);
  terminal.print(`${place}: ${counts.length === 0 ? 'fine' : counts.join(', ')}`);
  for (const { key, message } of problems) {
    terminal.printWrapped(`${terminal.style('red', 'problem')} ${key} ${message}`, { rest: '  ' });
  }
  for (const { key, message } of warnings) {
    const word = terminal.style('yellow', 'warning');
    terminal.printWrapped(`${word} ${key} ${message}`, { rest: '  ' });
  }
}

function count({ length }: readonly Problem[], word: string): string {
  if (length === 0) return '';
  return length === 1 ? `1 ${word}` : `${length} ${word}s`;
}
