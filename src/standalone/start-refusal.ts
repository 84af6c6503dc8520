import { ConfigurationError } from '../hooks/index.ts';
import { errorCode } from './error-code.ts';

/** What a start that failed says on stderr: one clear sentence, or one for each problem of the configuration. */
export function startRefusal(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  if (!(error instanceof Error)) return `The service cannot start: ${String(error)}`;
  const listening = listenRefusal(error);
  if (listening !== undefined) return listening;
  // A mistake of ours, not of the operator: whoever repairs it needs the place.
  const isOurs = [TypeError, ReferenceError, SyntaxError, RangeError].some(
    (kind) => error instanceof kind,
  );
  return `The service cannot start: ${isOurs ? error.stack : error.message}`;
}

const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'is in use by another program; stop it or set gateway.port (GATEWAY_PORT) to a free one',
  EACCES: 'may not be used by this user; set gateway.port (GATEWAY_PORT) to one above 1023',
  EADDRNOTAVAIL: 'is no address of this machine; correct gateway.host (GATEWAY_HOST)',
  ENOTFOUND: 'is not known; correct gateway.host (GATEWAY_HOST)',
};

function listenRefusal(error: Error): string | undefined {
  if (!('syscall' in error) || !['listen', 'getaddrinfo'].includes(String(error.syscall))) {
    return undefined;
  }
  const host = 'address' in error ? String(error.address) : 'gateway.host';
  const place = 'port' in error ? `${host}:${String(error.port)}` : host;
  const code = errorCode(error);
  return `The service cannot listen: ${place} ${ADVICE[code ?? ''] ?? `failed with ${code}`}.`;
}
