import { isRecord } from '../../platform/objects.ts';
import { CHANNEL_VALUES, MAX_TIMEOUT_SECONDS, WAKE_MODES } from '../options/index.ts';
import { THINKING_LEVELS } from '../ports/index.ts';
import type { TransformedMessage, TransformedRun, TransformedWake } from './contract.ts';

type Given<T> = { readonly [K in keyof T]?: NonNullable<T[K]> };

/** Its fields win over the mapping's templates; each is known, has its type and belongs to the kind. */
export type ActionOverride =
  | ({ readonly kind: 'wake' } & Omit<Given<TransformedWake>, 'kind'>)
  | ({ readonly kind: 'agent' } & Omit<Given<TransformedRun>, 'kind'>)
  | ({ readonly kind: 'deliver' } & Omit<Given<TransformedMessage>, 'kind'>);

export type ActionKind = ActionOverride['kind'];

/** What a transform returned is not an action. The message names the field and never its value. */
export class InvalidResult extends Error {
  override readonly name = 'InvalidResult';
}

/** The transform broke or took too long: no action is made of the request, which is kept as a failed event. */
export class TransformFailure extends Error {
  override readonly name = 'TransformFailure';
  readonly code: 'transform_failed' | 'transform_timeout';
  /** Fit for a log: class and place of the error, no word of a payload. */
  readonly summary: string;
  readonly console: readonly string[];

  /** @param message for the details of the event; may hold text of a payload. */
  constructor(
    code: 'transform_failed' | 'transform_timeout',
    message: string,
    { summary, console = [] }: { summary: string; console?: readonly string[] },
  ) {
    super(message);
    this.code = code;
    this.summary = summary;
    this.console = console;
  }
}

/** The value if it is allowed, as it is kept; undefined if not. */
type Reader = (value: unknown) => unknown;

const text: Reader = (value) => (typeof value === 'string' ? value : undefined);
const named: Reader = (value) => (typeof value === 'string' ? value.trim() : undefined);
const boolean: Reader = (value) => (typeof value === 'boolean' ? value : undefined);
const seconds: Reader = (value) =>
  typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT_SECONDS ? value : undefined;
const oneOf =
  (values: readonly string[]): Reader =>
  (value) =>
    values.find((known) => known === value);

/** Instructions, session mode, dedupe key and whether content is trusted are not here: the operator's alone. */
const FIELDS: Readonly<Record<ActionKind, ReadonlyMap<string, Reader>>> = {
  wake: new Map([
    ['text', text],
    ['mode', oneOf(WAKE_MODES)],
    ['agentId', named],
  ]),
  agent: new Map([
    ['message', text],
    ['name', text],
    ['agentId', named],
    ['wakeMode', oneOf(WAKE_MODES)],
    ['sessionKey', named],
    ['deliver', boolean],
    ['channel', oneOf(CHANNEL_VALUES)],
    ['to', named],
    ['model', named],
    ['thinking', oneOf(THINKING_LEVELS)],
    ['timeoutSeconds', seconds],
    ['waitFor', named],
  ]),
  deliver: new Map([
    ['message', text],
    ['name', text],
    ['channel', oneOf(CHANNEL_VALUES)],
    ['to', named],
  ]),
};

/** What a transform may ask for: where no agent is to have a part it has none, and where one is it is not passed over. */
const KINDS: Readonly<Record<ActionKind, readonly ActionKind[]>> = {
  wake: ['wake', 'agent'],
  agent: ['wake', 'agent'],
  deliver: ['deliver'],
};

/** A handler may ask for any of them, since it is the host's own code, and has to say which. */
const HANDLER_KINDS: readonly ActionKind[] = ['agent', 'wake', 'deliver'];

/** Blank means absent in these: the templates decide. */
const BLANK_IS_ABSENT = new Set(['agentId', 'sessionKey', 'to', 'model', 'waitFor']);

/**
 * @param json absent: it returned undefined. @param kind the mapping's own; absent: a handler returned it. @returns null: the templates alone decide; empty: nothing is to be done.
 * @throws InvalidResult
 */
export function readResult(
  json: string | undefined,
  kind?: ActionKind,
): readonly ActionOverride[] | null {
  if (json === undefined) return null;
  const value: unknown = JSON.parse(json);
  if (value === null) return [];
  if (Array.isArray(value)) return value.map((entry: unknown) => readAction(entry, kind));
  return [readAction(value, kind)];
}

function readAction(value: unknown, usual: ActionKind | undefined): ActionOverride {
  const kinds = usual === undefined ? HANDLER_KINDS : KINDS[usual];
  if (!isRecord(value)) throw new InvalidResult('an action must be an object');
  const { kind: givenKind, ...fields } = value;
  const kind = kinds.find((known) => known === (givenKind ?? usual));
  if (kind === undefined) throw new InvalidResult(`kind must be ${kinds.join(' or ')}`);
  const action = Object.entries(fields).flatMap(([name, field]) => readField(kind, name, field));
  return { ...Object.fromEntries(action), kind };
}

function readField(kind: ActionKind, name: string, value: unknown): [string, unknown][] {
  const read = FIELDS[kind].get(name);
  if (read === undefined) throw new InvalidResult(`${quote(name)} is no field of a ${kind} action`);
  if (value === null) return [];
  const field = read(value);
  if (field === undefined) throw new InvalidResult(`${name} has a value that is not allowed`);
  return field === '' && BLANK_IS_ABSENT.has(name) ? [] : [[name, field]];
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
