import { join } from 'node:path';
import type { Problem } from '../../hooks/index.ts';
import { GATEWAY_FILE } from '../../standalone/configuration-files.ts';
import type { Inspection } from '../../standalone/inspect-configuration.ts';
import type { Terminal } from '../terminal.ts';

/** What `hooks config check` found. */
export interface ConfigurationCheck {
  readonly ok: boolean;
  /** gateway.json5; null in the demo, which has none. */
  readonly file: string | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

export function checkOf({ dir, isDemo, problems, warnings }: Inspection): ConfigurationCheck {
  const file = isDemo ? null : join(dir, GATEWAY_FILE);
  return { ok: problems.length === 0, file, problems, warnings };
}

/** Each problem and each warning as a sentence, and how many there are. */
export function showCheck(
  { file, problems, warnings }: ConfigurationCheck,
  terminal: Terminal,
): void {
  const place = file ?? 'The demo (there is no gateway.json5)';
  const counts = [counted(problems, 'problem'), counted(warnings, 'warning')].filter(Boolean);
  terminal.print(`${place}: ${counts.length === 0 ? 'fine' : counts.join(', ')}`);
  for (const problem of problems) {
    terminal.printWrapped(`${terminal.style('red', 'problem')} ${sentence(problem)}`, {
      rest: '  ',
    });
  }
  for (const warning of warnings) {
    terminal.printWrapped(`${terminal.style('yellow', 'warning')} ${sentence(warning)}`, {
      rest: '  ',
    });
  }
}

function counted({ length }: readonly Problem[], word: string): string {
  if (length === 0) return '';
  return length === 1 ? `1 ${word}` : `${length} ${word}s`;
}

function sentence({ key, message }: Problem): string {
  return `${key} ${message}`;
}
