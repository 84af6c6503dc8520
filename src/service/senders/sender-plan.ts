import { randomBytes } from 'node:crypto';
import type { Preset, SignatureScheme } from '../../hooks/index.ts';
import { getField, isRecord } from '../../platform/objects.ts';
import type { Environment } from '../configuration/environment.ts';
import { fragmentSections, withFragment } from '../configuration/files.ts';
import type { Sections } from '../configuration/files.ts';
import { assertOurs } from '../configuration/fragment-change.ts';
import type { FragmentPlan } from '../configuration/fragment-change.ts';
import { Written, keptAsWritten, literal } from '../configuration/fragments.ts';
import { inspectConfiguration } from '../configuration/inspect.ts';
import type { Inspection } from '../configuration/inspect.ts';
import { newToken } from '../configuration/token-file.ts';
import { ConfigurationUnchanged } from '../configuration/unchanged.ts';
import { proofKind, senderName } from './sender.ts';

/**
 * What `hooks setup` and the console write: `gateway.d/github.json5` with the secrets, newest first. What a person
 * added to it stays.
 */

/** What these fragments name as their author, whoever had it do so. */
const COMMAND = 'hooks setup';

export interface PresentSender {
  /** As our fragment has them, newest first: texts, or references to variables. */
  readonly secrets: readonly string[];
  /** The mapping that another file has for it, where the secrets then belong; variables replaced. */
  readonly elsewhere: { readonly place: string; readonly secrets: readonly string[] } | undefined;
  readonly isEnabledElsewhere: boolean;
  readonly publicUrl: string | undefined;
}

export interface SenderChange {
  /** Undefined: its sender sends a token, or its secrets stand elsewhere. */
  readonly secrets: readonly string[] | undefined;
  /** Undefined: none is written that was not. */
  readonly publicUrl: string | undefined;
}

/** @throws ConfigurationUnchanged when the fragment of that name is somebody else's */
export async function presentSender(
  { id }: Preset,
  { dir, files }: Inspection,
  env: Environment,
): Promise<PresentSender> {
  assertOurs(files, id, COMMAND);
  const others = await inspectConfiguration(dir, env, withFragment(files, id, undefined));
  const own = mappingOf(fragmentSections(files, id), id);
  const { written, sections, merged } = others;
  const index = mappingsOf(written).findIndex((mapping) => getField(mapping, 'id') === id);
  const place = merged.place({ key: `hooks.mappings[${index}]`, message: '' }).key;
  const publicUrl = getField(sections, 'hooks', 'publicUrl');
  return {
    secrets: textsOf(getField(own, 'verify', 'secrets')),
    elsewhere: index < 0 ? undefined : { place, secrets: secretsOf(mappingsOf(sections)[index]) },
    isEnabledElsewhere: textsOf(getField(written, 'hooks', 'presets')).includes(id),
    publicUrl: typeof publicUrl === 'string' ? publicUrl : undefined,
  };
}

/** The fragment that makes the change; nothing is written. */
export function planSender(
  { id }: Preset,
  { secrets, publicUrl }: SenderChange,
  { files }: Pick<Inspection, 'files'>,
): FragmentPlan & { readonly sections: Sections } {
  const kept = fragmentSections(files, id) ?? {};
  const hooks = getField(kept, 'hooks');
  const { presets, mappings, ...rest } = isRecord(hooks) ? hooks : {};
  const others = mappingsOf(kept).filter((mapping) => getField(mapping, 'id') !== id);
  const own = mappingOf(kept, id);
  const verify = getField(own, 'verify');
  const changed =
    secrets === undefined
      ? mappings && new Written(mappings)
      : [
          ...others.map((mapping) => new Written(mapping)),
          {
            ...keptAsWritten(own),
            id,
            verify: {
              ...(isRecord(verify) ? keptAsWritten(verify) : {}),
              secrets: new Written(secrets),
            },
          },
        ];
  const sections = {
    ...keptAsWritten(kept),
    hooks: {
      ...keptAsWritten(rest),
      ...(publicUrl !== undefined && { publicUrl }),
      presets: new Written([...new Set([...textsOf(presets), id])]),
      ...(changed !== undefined && { mappings: changed }),
    },
  };
  return { name: id, sections, command: `${COMMAND} ${id}`, keepsKeys: true };
}

export interface SecretChange {
  /** As a fragment has it; undefined: none is. */
  readonly given: string | undefined;
  /** True: a further one, beside those that are there. */
  readonly rotate: boolean;
  /** True: only the newest of those that are there. */
  readonly retireOld: boolean;
}

/**
 * Newest first; undefined where they are none of the fragment's business. None is replaced.
 * @param ask the secret that the sender has made
 * @throws ConfigurationUnchanged
 */
export async function decideSecrets(
  { preset, scheme }: { readonly preset: Preset; readonly scheme: SignatureScheme | undefined },
  present: PresentSender,
  { given, rotate, retireOld }: SecretChange,
  ask: (scheme: SignatureScheme) => Promise<string>,
): Promise<readonly string[] | undefined> {
  const kind = proofKind(preset);
  const name = senderName(preset);
  if (kind === 'token' || scheme === undefined) {
    if (given === undefined && !retireOld) return undefined;
    throw new ConfigurationUnchanged('takes-no-secret', name);
  }
  const { secrets: kept, elsewhere } = present;
  if (elsewhere !== undefined) {
    const isChange = rotate || retireOld || given !== undefined;
    if (elsewhere.secrets.length > 0 && !isChange) return undefined;
    throw new ConfigurationUnchanged('secrets-elsewhere', elsewhere.place);
  }
  if (retireOld) {
    if (kept.length > 0) return kept.slice(0, 1);
    throw new ConfigurationUnchanged('no-secret-yet', name);
  }
  if (given !== undefined) {
    if (kept.includes(given)) return kept;
    if (kept.length === 0 || rotate) return [given, ...kept];
    throw new ConfigurationUnchanged('another-secret', name);
  }
  if (kept.length > 0 && !rotate) return kept;
  const value = kind === 'own-secret' ? newSecret(scheme) : await ask(scheme);
  return [literal(value), ...kept];
}

/** 32 random bytes in the form that the scheme takes. */
function newSecret({ proofs: [proof] }: SignatureScheme): string {
  if (proof?.kind === 'basic') return `hooks:${newToken()}`;
  if (proof?.kind !== 'signature') return newToken();
  if (proof.secretForm === 'base64') return `whsec_${randomBytes(32).toString('base64')}`;
  return proof.secretForm === 'hex' ? randomBytes(32).toString('hex') : newToken();
}

function mappingsOf(sections: Sections | undefined): readonly unknown[] {
  const mappings = getField(sections, 'hooks', 'mappings');
  return Array.isArray(mappings) ? mappings : [];
}

function mappingOf(sections: Sections | undefined, id: string): Record<string, unknown> {
  const own = mappingsOf(sections).find((mapping) => getField(mapping, 'id') === id);
  return isRecord(own) ? own : {};
}

function secretsOf(mapping: unknown): string[] {
  const senders = getField(mapping, 'verify', 'senders');
  return [
    ...textsOf(getField(mapping, 'verify', 'secrets')),
    ...(Array.isArray(senders) ? senders : []).flatMap((one) => textsOf(getField(one, 'secrets'))),
  ];
}

function textsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
}
