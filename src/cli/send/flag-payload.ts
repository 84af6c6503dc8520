import { CliError, EXIT } from '../cli-error.ts';

/** Fields of a payload that have a flag of their own: by hook, the option's name and the field's. */
const FIELDS = {
  wake: { text: 'text', mode: 'mode' },
  agent: {
    message: 'message',
    name: 'name',
    agent: 'agentId',
    session: 'sessionKey',
    wakeMode: 'wakeMode',
    deliver: 'deliver',
    channel: 'channel',
    to: 'to',
    model: 'model',
    thinking: 'thinking',
    runTimeout: 'timeoutSeconds',
  },
} as const;

/** The flags that were given, by the options' names; anything else among the options is passed over. */
export type Flags = Readonly<Record<string, unknown>>;

/**
 * The payload that flags make; null when none was given.
 * @throws CliError for a flag that does not belong to this hook, and when a built-in hook lacks what it needs.
 */
export function flagPayload(hook: string, flags: Flags): Record<string, unknown> | null {
  const isBuiltIn = hook === 'wake' || hook === 'agent';
  const own: Readonly<Record<string, string>> = isBuiltIn ? FIELDS[hook] : {};
  const stray = [...Object.keys(FIELDS.wake), ...Object.keys(FIELDS.agent)].find(
    (option) => flags[option] !== undefined && own[option] === undefined,
  );
  if (stray !== undefined) throw notOf(hook, stray);
  const given = Object.entries(own).filter(([option]) => flags[option] !== undefined);
  if (given.length === 0) return null;
  return Object.fromEntries(given.map(([option, field]) => [field, flags[option]]));
}

function notOf(hook: string, option: string): CliError {
  const flag = `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const owner = option in FIELDS.wake ? 'wake' : 'agent';
  return new CliError(
    `${flag} is no flag of hook "${hook}".`,
    `It belongs to "hooks send ${owner}"; give the payload of a mapped hook with --payload.`,
    EXIT.usage,
  );
}
