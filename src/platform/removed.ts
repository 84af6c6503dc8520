/** A name that earlier builds had, and what takes its place. */
interface Removed {
  /** As it was written; `*` and `{…}` stand for any word. */
  readonly name: string;
  /** Ends the sentence that begins with "was removed: ". */
  readonly instead: string;
}

/** Commands, or options of commands that are still there. */
export const REMOVED_COMMANDS: readonly Removed[] = [
  { name: 'hooks import', instead: 'see docs/openclaw.md' },
  { name: 'hooks relay', instead: 'use a tunnel, docs/tunnels.md' },
  { name: 'hooks listen', instead: 'use a tunnel, docs/tunnels.md' },
  { name: 'hooks simulate', instead: 'use "hooks preview --recent 200 --config <dir>"' },
  { name: 'hooks migrate', instead: 'use "hooks backup" and "hooks restore"' },
  { name: 'hooks service', instead: 'install deploy/hooks.service, docs/server.md' },
  { name: 'hooks sign', instead: 'use "hooks send <hook> --dry-run"' },
  { name: 'hooks route', instead: 'set it by PUT /ops/api/sessions/{key}/route' },
  { name: 'hooks console', instead: 'use "hooks status", which prints its address' },
  { name: 'hooks drain', instead: 'stop the service with SIGTERM' },
  { name: 'hooks instances', instead: 'run "hooks status" beside each service' },
  {
    name: 'hooks events forget --matching',
    instead: 'use "hooks events list --search", then name the ids',
  },
];

/** Keys of gateway.json5, or single values of keys that are still there. */
export const REMOVED_KEYS: readonly Removed[] = [
  { name: 'hooks.mappings[].loops', instead: 'use limit, docs/rules.md#loops' },
  { name: 'hooks.defaults.loops', instead: 'use limit, docs/rules.md#loops' },
  { name: 'hooks.mappings[].statusNote', instead: 'the reply is posted as it is; remove the key' },
  { name: 'channels.*.provider: zendesk', instead: 'use a channel of the provider webhook' },
  { name: 'channels.*.provider: intercom', instead: 'use a channel of the provider webhook' },
  { name: 'agents.*.runner.protocol: openai-sessions', instead: 'use plain or a2a' },
  { name: 'agents.*.runner.protocol: openclaw', instead: 'use plain or a2a' },
];

export const REMOVED_OPERATIONS: readonly Removed[] = [
  { name: 'GET /ops/api/setup', instead: 'use "hooks setup"' },
  { name: 'POST /ops/api/setup', instead: 'use "hooks setup"' },
  { name: 'POST /ops/api/setup/{id}/answer', instead: 'use "hooks setup"' },
  { name: 'DELETE /ops/api/setup/{id}', instead: 'use "hooks setup"' },
  { name: 'GET /ops/api/instances', instead: 'use GET /ops/api/status of each service' },
  { name: 'POST /ops/api/instances/{id}/drain', instead: 'stop the service with SIGTERM' },
  { name: 'POST /ops/api/instances/{id}/resume', instead: 'start the service' },
  { name: 'POST /ops/api/events/forget', instead: 'search, then DELETE /ops/api/events/{id}' },
];

/** The sentence for a command line that begins with a removed command: `hooks relay --keep 256`. */
export function removedCommand(typed: string): string | undefined {
  const found = REMOVED_COMMANDS.find(({ name }) => `${typed} `.startsWith(`${name} `));
  return found && `"${found.name}" was removed: ${found.instead}`;
}

/** What continues a key, or a key and its value, to a sentence. */
export function removedKey(key: string, value?: unknown): string | undefined {
  const path = key.replaceAll(/\[\d+\]/g, '[]');
  const written = [path, `${path}: ${String(value)}`];
  const found = REMOVED_KEYS.find(({ name }) => written.some((one) => isMeant(name, one, '.')));
  const [, removed] = found?.name.split(': ') ?? [];
  return found && `${removed ? `is "${removed}", which ` : ''}was removed: ${found.instead}`;
}

export function removedOperation(method: string, path: string): string | undefined {
  const found = REMOVED_OPERATIONS.find(({ name }) => isMeant(name, `${method} ${path}`, '/'));
  return found && `"${found.name}" was removed: ${found.instead}`;
}

function isMeant(name: string, written: string, separator: string): boolean {
  const words = written.split(separator);
  const meant = name.split(separator);
  return (
    words.length === meant.length &&
    meant.every((word, place) => word === '*' || word.startsWith('{') || word === words[place])
  );
}
