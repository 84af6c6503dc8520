import type { RefusedRequest } from '../../src/hooks/ports/index.ts';

export const TOO_LARGE = {
  kind: 'lost',
  hook: 'alertmanager',
  name: null,
  client: '192.0.2.7',
  status: 413,
  code: 'payload_too_large',
  reason: 'Send at most 262144 bytes.',
  verifiedBy: 'token',
  bytes: 347_403,
  count: 1,
} as const satisfies Omit<RefusedRequest, 'at'>;
