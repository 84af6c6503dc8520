import { REJECTIONS } from '../../hooks/index.ts';
import type { RefusedRequest, RejectionCode } from '../../hooks/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { option, pastTime, wrongValue } from '../command.ts';
import type { OptionValues } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import type { QueryOf } from '../service/operations.ts';
import { age } from '../text-layout.ts';

// What a sender chose (the name of a hook that is not there) is made harmless before it is shown.

export const REFUSED_OPTIONS = [
  option('--refused', 'requests that were refused, instead of events'),
  option('--code <code>', 'of these only those with a code, e.g. payload_too_large', refusalCode),
  option('--verified', 'of these only those of verified senders, who lost something'),
] as const;

type Asked = OptionValues<typeof REFUSED_OPTIONS> & {
  readonly hook?: string;
  readonly status?: string;
  readonly since?: string;
  readonly until?: string;
  readonly session?: string;
  readonly mapping?: string;
  readonly search?: string;
};

function refusalCode(text: string): RejectionCode {
  if (isCode(text)) return text;
  throw wrongValue('--code', 'a code of docs/errors.md');
}

function isCode(text: string): text is RejectionCode {
  return Object.hasOwn(REJECTIONS, text);
}

/** Null: events are asked for. @throws CliError when what is asked for belongs to the other of both lists */
export function refusedAsked(
  { refused = false, code, since, verified, hook, ...ofEvents }: Asked,
  now: number,
): Omit<QueryOf<'GET /ops/api/refusals'>, 'limit'> | null {
  const narrows = [code, verified].some((value) => value !== undefined);
  if (!refused && narrows) {
    const said = '--code and --verified narrow what --refused finds.';
    throw new CliError(said, 'Say --refused, or leave them out.', EXIT.usage);
  }
  if (!refused) return null;
  const { status, until, session, mapping, search } = ofEvents;
  const wrong = Object.entries({ status, until, session, mapping, search }).find(
    ([, value]) => value !== undefined,
  );
  if (wrong !== undefined) {
    const said = `--${wrong[0]} is about events, and what was refused became none.`;
    throw new CliError(
      said,
      'Leave it out; --code, --hook, --since and --verified go with --refused.',
      EXIT.usage,
    );
  }
  return { hook, code, verified, since: pastTime('--since', since, now) };
}

/** Rows of the list, head first; the reasons are sentences, and only in the JSON. */
export function refusedTable(refusals: readonly RefusedRequest[], now: number): string[][] {
  const rows = refusals.map(({ at, count, status, code, hook, name, client, ...of }) => [
    age(at, now),
    count === 1 ? '' : `${count} ×`,
    `${status} ${asLine(code)}`,
    asLine(hook ?? name ?? '-'),
    client === null ? 'many' : asLine(client),
    asLine(provenBy(of)),
  ]);
  return [['AGE', '', 'REFUSED', 'HOOK', 'CLIENT', 'VERIFIED BY'], ...rows];
}

/** Of a token that was known and not let in, the whole sentence: `token ci may not speak to this hook`. */
function provenBy({ verifiedBy, reason }: Pick<RefusedRequest, 'verifiedBy' | 'reason'>): string {
  return reason.startsWith(`${verifiedBy} `) ? reason : (verifiedBy ?? '-');
}
