import { CliError, EXIT } from '../cli-error.ts';
import { hookName, onTheWire } from '../hook-name.ts';
import type { NamedValues } from '../named-values.ts';
import { readPayload } from '../payload-file.ts';
import type { PayloadSource } from '../payload-file.ts';
import type { HookPost } from '../service/service-client.ts';
import { flagPayload } from './flag-payload.ts';
import type { Flags } from './flag-payload.ts';

/** What the command line says about a request. */
export interface PostOptions {
  /** A file, or `-`. */
  readonly payload?: string;
  readonly header?: NamedValues;
  readonly query?: NamedValues;
  readonly idempotencyKey?: string;
}

/** Headers that the command sets itself, or that belong to the connection. */
const OWN_HEADERS =
  /^(?:authorization|x-gateway-token|content-type|content-length|content-encoding|host|connection|transfer-encoding|expect|upgrade|te|trailer|keep-alive)$/;

/** The request that a command line means. @throws CliError */
export async function hookPost(
  hook: string,
  options: PostOptions & Flags,
  prefix: string,
  source: PayloadSource,
): Promise<HookPost> {
  const name = hookName(hook, prefix);
  const { header = {}, query = {}, idempotencyKey } = options;
  const own = Object.keys(header).find((one) => OWN_HEADERS.test(one));
  if (own !== undefined) {
    throw new CliError(`The header ${own} is set by the command itself.`, undefined, EXIT.usage);
  }
  const headers = { ...header, ...keyHeader(idempotencyKey) };
  const body = await bodyOf(name, options, source);
  return { name: onTheWire(name), headers, query, body };
}

function keyHeader(key: string | undefined): NamedValues {
  if (key === undefined) return {};
  if (/^[!-~](?:[ -~]{0,254}[!-~])?$/.test(key)) return { 'idempotency-key': key };
  throw new CliError(
    '--idempotency-key must be 1 to 256 characters of plain ASCII.',
    undefined,
    EXIT.usage,
  );
}

async function bodyOf(
  name: string,
  options: PostOptions & Flags,
  source: PayloadSource,
): Promise<Buffer> {
  const fromFlags = flagPayload(name, options);
  if (options.payload === undefined) return Buffer.from(JSON.stringify(fromFlags ?? {}));
  if (fromFlags === null) return readPayload(options.payload, source);
  throw new CliError(
    'A payload comes from --payload or from flags, not from both.',
    'Leave one of them out.',
    EXIT.usage,
  );
}
