import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, parseJson } from '../platform/objects.ts';
import type { LastUses } from './senders/inherited-ids.ts';

/** In the data directory. */
export const TOKEN_USES_FILE = 'token-uses.json';

/** What the service wrote down; nothing of a file that is not there or was not written by it. Never rejects. */
export async function readTokenUses(dataDir: string): Promise<LastUses> {
  const text = await readFile(join(dataDir, TOKEN_USES_FILE), 'utf8').catch(() => '');
  const written = parseJson(text);
  const entries = isRecord(written) ? Object.entries(written) : [];
  return new Map(
    entries
      .map(([secret, at]): [string, number] => [
        secret,
        typeof at === 'string' ? Date.parse(at) : NaN,
      ])
      .filter(([, at]) => !Number.isNaN(at)),
  );
}
