import type { RefusedRequest } from '../../hooks/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { option } from '../command.ts';
import type { OptionValues } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import type { RefusalsAsked } from '../service/service-client.ts';
import { age } from '../text-layout.ts';
import { sinceTime } from './dead-work.ts';

/*
 * `hooks events list --refused`: requests that became no event. What a sender chose (the name of a hook that is not there)
 * is made harmless before it is shown.
 */

/** Of the list of events, for what became none. */
export const REFUSED_OPTIONS = [
  option('--refused', 'requests that were refused, instead of events'),
  option('--code <code>', 'of these only those with a code, e.g. payload_too_large'),
  option('--since <time>', 'of these only those since a date, or for so long: 90m, 24h, 7d'),
  option('--verified', 'of these only those of verified senders, who lost something'),
] as const;

type Asked = OptionValues<typeof REFUSED_OPTIONS> & {
  readonly hook?: string;
  readonly status?: string;
};

/** Null: events are asked for. @throws CliError when what is asked for belongs to the other of both lists */
export function refusedAsked(
  { refused = false, hook, status, code, since, verified }: Asked,
  now: number,
): Omit<RefusalsAsked, 'limit'> | null {
  const narrows = [code, since, verified].some((value) => value !== undefined);
  if (!refused && narrows) {
    const said = '--code, --since and --verified narrow what --refused finds.';
    throw new CliError(said, 'Say --refused, or leave them out.', EXIT.usage);
  }
  if (!refused) return null;
  if (status !== undefined) {
    const said = '--status is about events, and what was refused became none.';
    throw new CliError(said, 'Say --code, or leave it out.', EXIT.usage);
  }
  return { hook, code, verified, since: since === undefined ? undefined : sinceTime(since, now) };
}

/** Rows of the list, head first; the reasons are sentences, and only in the JSON. */
export function refusedTable(refusals: readonly RefusedRequest[], now: number): string[][] {
  const rows = refusals.map(({ at, count, status, code, hook, name, client, verifiedBy }) => [
    age(at, now),
    count === 1 ? '' : `${count} ×`,
    `${status} ${asLine(code)}`,
    asLine(hook ?? name ?? '-'),
    client === null ? 'many' : asLine(client),
    asLine(verifiedBy ?? '-'),
  ]);
  return [['AGE', '', 'REFUSED', 'HOOK', 'CLIENT', 'VERIFIED BY'], ...rows];
}
