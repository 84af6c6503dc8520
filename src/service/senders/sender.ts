import { bareName, compilePathRules, presets, schemes, sendersOf } from '../../hooks/index.ts';
import type {
  BodyKind,
  PathRule,
  Preset,
  ResolvedHooksOptions,
  Senders,
  SignatureScheme,
} from '../../hooks/index.ts';

/**
 * How a sender of a preset proves who it is: what the preset's setup lines ask a person to enter is what the sender
 * shows.
 */

/**
 * - `token`: the sender sends a token of ours.
 * - `own-secret`: it shows, or signs with, a secret that we make and a person enters there.
 * - `their-secret`: the sender makes the secret, and a person enters it here.
 */
export type ProofKind = 'token' | 'own-secret' | 'their-secret';

export interface SetupValues {
  readonly url: string;
  /** The same with user and password in it. */
  readonly secretUrl: string;
  readonly secret: string;
  readonly token: string;
}

const PLACEHOLDER = /\{(url|secretUrl|secret|token)\}/g;

export function proofKind({ setup, verify }: Preset): ProofKind {
  const asked = new Set(
    setup.flatMap((line) => Array.from(line.matchAll(PLACEHOLDER), ([, name]) => name)),
  );
  if (asked.has('secret') || asked.has('secretUrl')) return 'own-secret';
  return verify === undefined || asked.has('token') ? 'token' : 'their-secret';
}

/** A setup line as a person reads it: no full stop behind what is to be copied. */
function fillIn(line: string, values: SetupValues): string {
  return line
    .replace(/\}\.$/, '}')
    .replaceAll(PLACEHOLDER, (_, name: keyof SetupValues) => values[name]);
}

/** The scheme that the preset names. @param settings those that are here; without them it is one of ours */
export function schemeOf(
  { verify }: Preset,
  settings?: ResolvedHooksOptions,
): SignatureScheme | undefined {
  const known = settings === undefined ? schemes : sendersOf(settings).schemes;
  return known.get(verify?.scheme ?? '');
}

/** Whether the address that it sends to is part of what it signs. */
export function signsUrl({ proofs }: SignatureScheme): boolean {
  return proofs.some((proof) => proof.kind === 'signature' && proof.signed.includes('{url}'));
}

export function senderName(preset: Preset): string {
  return schemeOf(preset)?.name.replace(/ \(.*\)$/, '') ?? preset.name ?? preset.id;
}

/** Path of its hook, without outer slashes. @param hooks the options in force, where a mapping may say another. */
export function senderPath(
  { id, match }: Preset,
  hooks: ResolvedHooksOptions['hooks'] | undefined,
): string {
  const own = hooks?.mappings.find((mapping) => mapping.id === id);
  const path = own?.match?.path ?? match?.path ?? id;
  return bareName(path);
}

/** The preset whose hook is meant by a name or path; undefined: it is another hook. */
export function findPreset(
  name: string,
  settings: ResolvedHooksOptions | undefined,
): Preset | undefined {
  const bare = bareName(name);
  const presets = presetsOf(settings);
  return (
    presets.get(bare) ??
    [...presets.values()].find((preset) => senderPath(preset, settings?.hooks) === bare)
  );
}

/** Those that a configuration knows; without one, ours. */
export function presetsOf(settings: ResolvedHooksOptions | undefined): Senders['presets'] {
  return settings === undefined ? presets : sendersOf(settings).presets;
}

/** What a path asks of its sender; undefined: a token, and nothing else is said of the path. */
export function findRule(path: string, settings: ResolvedHooksOptions): PathRule | undefined {
  return compilePathRules(settings).rules.get(bareName(path));
}

/** What senders write of the kinds of body, where their scheme says nothing else. */
const CONTENT_TYPES: Readonly<Record<BodyKind, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain',
};

export function contentTypeOf(rule: PathRule | undefined): string {
  return rule?.contentType ?? CONTENT_TYPES[rule?.body ?? 'json'];
}

interface SetupPlace {
  readonly url: string;
  /** That both sides know; absent: it is not to be shown, or the sender makes it. */
  readonly secret?: string | undefined;
  /** Absent: it has none, or one that is kept nowhere. */
  readonly token?: string | undefined;
}

const UNKNOWN = { secret: '<its secret>', token: '<its token>' };

export function setupSteps(
  lines: readonly string[],
  { url, secret = UNKNOWN.secret, token = UNKNOWN.token }: SetupPlace,
): string[] {
  const secretUrl = url.replace('://', () => `://${secret}@`);
  return lines.map((line) => fillIn(line, { url, secretUrl, secret, token }));
}
