import type { ConfigurationChange } from '../../standalone/editing/configuration-change.ts';
import { DOTENV_FILE, GATEWAY_FILE } from '../../standalone/configuration-files.ts';
import { MASK } from '../config/show/masking.ts';
import { asLines } from '../foreign-text.ts';
import type { Terminal } from '../terminal.ts';
import { hunksOf, lineDiff } from './line-diff.ts';
import type { DiffLine } from './line-diff.ts';
import { maskedDocument } from './masked-document.ts';

const SIGNS = { old: '-', new: '+', same: ' ' } as const;
const COLOURS = { old: 'red', new: 'green', same: 'dim' } as const;

/** Shows what would change in both files, secrets masked: the lines of gateway.json5, the names in `.env`. */
export function showChange(
  change: ConfigurationChange,
  variables: readonly string[],
  terminal: Terminal,
): void {
  if (change.changesGateway) {
    const isNew = change.before.gateway === undefined;
    terminal.print(terminal.style('bold', isNew ? `${GATEWAY_FILE} (new)` : GATEWAY_FILE));
    for (const line of gatewayDiff(change)) {
      if (line === undefined) terminal.print(terminal.style('dim', '  …'));
      else terminal.print(terminal.style(COLOURS[line.kind], `${SIGNS[line.kind]} ${line.text}`));
    }
  } else terminal.print(`${GATEWAY_FILE} stays as it is`);
  if (!change.changesDotenv) return;
  terminal.print(terminal.style('bold', `${DOTENV_FILE} (mode 0600)`));
  for (const name of variables) terminal.print(terminal.style('green', `+ ${name}=${MASK}`));
}

function gatewayDiff({ before, after }: ConfigurationChange): (DiffLine | undefined)[] {
  const [old, wanted] = [before.gateway ?? '', after.gateway ?? ''].map(maskedDocument);
  return hunksOf(lineDiff(old ?? '', wanted ?? '')).map(
    (line) => line && { ...line, text: asLines(line.text).join('') },
  );
}
