import { HooksOptions, normalizePrefix } from '../hooks/index.ts';
import type { Given } from '../hooks/index.ts';
import type { HookTarget } from '../mail/index.ts';

/** How a service that listens everywhere is reached on this machine. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };

/**
 * Where a watcher finds the hooks of a service.
 * @param url where the service listens
 */
export function mailTarget(url: string, hooks: Given<HooksOptions>): HookTarget {
  const base = new URL(url);
  base.hostname = EVERYWHERE[base.hostname] ?? base.hostname;
  return {
    url: `${base.origin}${normalizePrefix(hooks.path ?? '')}`,
    token: hooks.token?.trim() ?? '',
    maxBodyBytes: hooks.maxBodyBytes ?? new HooksOptions().maxBodyBytes,
  };
}
