import type { Preset } from '../../hooks/index.ts';
import { getField, isRecord } from '../../platform/objects.ts';
import {
  Written,
  asWritten,
  fragmentFile,
  fragmentSections,
  inspectConfiguration,
  keptAsWritten,
  maskSecrets,
  readFragments,
  withFragment,
} from '../../service/index.ts';
import type { Environment, Inspection, Sections } from '../../service/index.ts';
import { CliError } from '../cli-error.ts';
import { PlannedFiles, recommendedGateway } from '../config/planned-files.ts';

/*
 * What `hooks setup` writes: one fragment per preset, `gateway.d/github.json5`, that enables it and has its sender's
 * secrets, the newest first. Everything else that a person added to the fragment stays.
 */

const COMMAND = 'hooks setup';

/** What is here about a sender. */
export interface PresentSender {
  /** As our fragment has them, newest first: texts, or references to variables. */
  readonly secrets: readonly string[];
  /** The mapping that another file has for it, where the secrets then belong; variables replaced. */
  readonly elsewhere: { readonly place: string; readonly secrets: readonly string[] } | undefined;
  /** Whether another file enables the preset. */
  readonly isEnabledElsewhere: boolean;
  /** `hooks.publicUrl` of another file. */
  readonly publicUrl: string | undefined;
}

/** What is to be written about a sender. */
export interface SenderChange {
  /** Undefined: its sender sends a token, or its secrets stand elsewhere. */
  readonly secrets: readonly string[] | undefined;
  /** Undefined: none is written that was not. */
  readonly publicUrl: string | undefined;
}

/** @throws CliError when the fragment of that name is somebody else's */
export async function presentSender(
  { id }: Preset,
  { dir, files }: Inspection,
  env: Environment,
): Promise<PresentSender> {
  refuseForeignFragment(dir, id);
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

/** The files that make the change; nothing is written. A gateway.json5 is among them where there is none. */
export function planSender({ id }: Preset, change: SenderChange, here: Inspection): PlannedFiles {
  const { dir, files } = here;
  const kept = fragmentSections(files, id) ?? {};
  const hooks = getField(kept, 'hooks');
  const { presets, mappings, ...rest } = isRecord(hooks) ? hooks : {};
  const { secrets, publicUrl } = change;
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
  const written = asWritten(sections);
  const shown = maskSecrets(written, written);
  const fragment = {
    name: id,
    sections,
    shown,
    command: `${COMMAND} ${id}`,
    keepsKeys: true,
  };
  const gateway = files.gateway === undefined ? recommendedGateway(here, COMMAND) : undefined;
  return new PlannedFiles(dir, files, [fragment], gateway);
}

/** A file that a person wrote is not replaced, whatever its name. */
function refuseForeignFragment(dir: string, id: string): void {
  const file = fragmentFile(id);
  const own = readFragments(dir).find((fragment) => fragment.file === file);
  if (own === undefined || own.text.startsWith(`// Written by "${COMMAND} `)) return;
  throw new CliError(
    `nothing was changed: ${file} was not written by "${COMMAND}"`,
    'your own files are not edited: give it another name, and run the command again',
  );
}

function mappingsOf(sections: Sections | undefined): readonly unknown[] {
  const mappings = getField(sections, 'hooks', 'mappings');
  return Array.isArray(mappings) ? mappings : [];
}

function mappingOf(sections: Sections | undefined, id: string): Record<string, unknown> {
  const own = mappingsOf(sections).find((mapping) => getField(mapping, 'id') === id);
  return isRecord(own) ? own : {};
}

/** The path's own, and those of each sender with secrets of its own. */
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
