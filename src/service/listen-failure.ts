import { errorCode } from '../platform/errors.ts';

/** The service cannot listen. Its message is the whole sentence for the operator. */
export class ListenFailure extends Error {
  override readonly name = 'ListenFailure';

  /** @param problem what is wrong there, and what to do; without a full stop. */
  constructor(place: string, problem: string) {
    super(`The service cannot listen: ${place} ${problem}.`);
  }
}

export interface ListenKeys {
  readonly host: string;
  readonly port: string;
}

export const GATEWAY_KEYS: ListenKeys = {
  host: 'gateway.host (GATEWAY_HOST)',
  port: 'gateway.port (GATEWAY_PORT)',
};

const ADVICE: Readonly<Record<string, (keys: ListenKeys) => string>> = {
  EADDRINUSE: ({ port }) => `is in use by another program; stop it or set ${port} to a free one`,
  EACCES: ({ port }) => `may not be used by this user; set ${port} to one above 1023`,
  EADDRNOTAVAIL: ({ host }) => `is no address of this machine; correct ${host}`,
  ENOTFOUND: ({ host }) => `is not known; correct ${host}`,
};

/** @returns a ListenFailure; `error` itself when it is not about listening. */
export function listenFailure(error: unknown, keys: ListenKeys): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  if (!['listen', 'getaddrinfo'].includes(String(error.syscall))) return error;
  const host = ['address', 'hostname'].flatMap((name) => namedText(error, name))[0] ?? keys.host;
  const [port] = namedText(error, 'port');
  const code = errorCode(error);
  const advice = ADVICE[code ?? '']?.(keys) ?? `failed with ${code}; correct ${keys.host}`;
  return new ListenFailure(port === undefined || port === '-1' ? host : `${host}:${port}`, advice);
}

function namedText(error: object, name: string): string[] {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
}
