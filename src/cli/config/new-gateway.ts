import { readFileSync } from 'node:fs';
import { MASK, newToken } from '../../service/index.ts';
import type { Inspection } from '../../service/index.ts';
import type { NewGateway } from './planned-files.ts';

/**
 * The recommended configuration as the package ships it, for a directory that has none; its schema is not where this
 * is. Where no variable says the hook token, it is that of the demo, if it ran here: its senders go on being heard.
 * @param command what the file names as its author
 */
export function recommendedGateway(
  { env, demoHookToken }: Pick<Inspection, 'env' | 'demoHookToken'>,
  command: string,
): NewGateway {
  const example = readFileSync(new URL('../../../gateway.example.json5', import.meta.url), 'utf8');
  const text =
    `// Made by "${command}". docs/configuration.md has every key.\n` +
    example.replace(/^(?:\/\/.*\n)+/, '').replace(/(?: *\/\/.*\n)* *\$schema:.*\n/, '');
  if ((env['HOOK_TOKEN'] ?? '').trim() !== '') return { text, shown: text };
  const token = demoHookToken.read() ?? newToken();
  return { text: text.replace('${HOOK_TOKEN}', token), shown: text.replace('${HOOK_TOKEN}', MASK) };
}
