// What has to be decided and written in one round trip; `_@` becomes the edition of all, `@schema` the schema.
import { hash } from 'node:crypto';
import { CLAIMING } from './claiming.ts';

const ALL = CLAIMING;

/** Names the functions of this release: a digest of their texts. Releases with other texts go on beside it. */
export const EDITION = hash('sha256', ALL).slice(0, 8);

/** What makes the functions of this release. @param schema quoted */
export function functionsFor(schema: string): string {
  return ALL.replaceAll('_@', `_${EDITION}`).replaceAll('@schema', schema);
}
