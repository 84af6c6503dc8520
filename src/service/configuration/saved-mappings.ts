import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { SENDER_ID, isSecretPlace, textsIn } from '../../hooks/index.ts';
import { getField, getText, isRecord } from '../../platform/objects.ts';
import { expandVariables } from './environment.ts';
import { parseSections } from './files.ts';
import type { ConfigurationFiles } from './files.ts';
import { assertConfigured, assertOurs, changeFragment, findFragment } from './fragment-change.ts';
import type { FragmentKeeper, TakenOver } from './fragment-keeper.ts';
import { fragmentFile, isWrittenBy, readFragments } from './fragments.ts';
import type { Fragment } from './fragments.ts';
import type { Inspection } from './inspect.ts';
import { maskProblems, maskSecrets } from './masking.ts';
import { CONFIGURATION } from './sections.ts';
import { ConfigurationUnchanged } from './unchanged.ts';

/**
 * Mappings saved over the operator API: `gateway.d/mapping-<id>.json5`. What comes over the API is data: it names no
 * variable, holds no secret, takes no guard away.
 */

/** What these fragments name as their author. */
const AUTHOR = 'Try of the console';
const PREFIX = 'mapping-';
const PLACE = CONFIGURATION.at('hooks').at('mappings').at(0);

type Mapping = Readonly<Record<string, unknown>>;

/** A mapping that was saved. */
export interface SavedMapping {
  readonly id: string;
  /** Where it stands. */
  readonly file: string;
  /** Names the content of the file: whoever saves it says which one was seen. */
  readonly revision: string;
  /** As an entry of `hooks.mappings`. */
  readonly mapping: Mapping;
}

export interface ChangedMapping extends TakenOver {
  readonly file: string;
  /** Of what the file has now; null: it is gone. */
  readonly revision: string | null;
  /** As it was, and as it is now, without secrets; null: there was, or is, none. */
  readonly before: Mapping | null;
  readonly after: Mapping | null;
  /** What would work and cannot be meant. */
  readonly warnings: readonly string[];
}

export class SavedMappings {
  constructor(private readonly fragments: FragmentKeeper) {}

  /** True: there is no configuration that one could be added to. */
  get isDemo(): boolean {
    return this.fragments.running.inForce.isDemo;
  }

  /** As of {@link FragmentKeeper}. */
  get unwritable(): string | undefined {
    return this.fragments.unwritable;
  }

  /** As the files have them. A file that a person has changed since counts as that person's. */
  list(): SavedMapping[] {
    return readFragments(this.fragments.dir).flatMap((fragment) => savedIn(fragment) ?? []);
  }

  /** @param seen revision of the file that it replaces; null: there was none @throws ConfigurationUnchanged */
  save(id: string, mapping: Mapping | undefined, seen: string | null): Promise<ChangedMapping> {
    const verb = mapping === undefined ? 'removed' : 'saved';
    return this.fragments.change(`the operator ${verb} the mapping ${id}`, async (here) => {
      if (!SENDER_ID.test(id)) throw new ConfigurationUnchanged('bad-id');
      assertConfigured(here);
      const name = PREFIX + id;
      if (mapping === undefined && findFragment(here.files, name) === undefined) {
        throw new ConfigurationUnchanged('unknown');
      }
      const before = replaceable(here.files, name, seen);
      if (mapping !== undefined) assertHarmless(mapping, id);
      const sections = mapping && sectionsOf(mapping);
      const next = await changeFragment(
        here,
        { name, sections, command: AUTHOR },
        this.fragments.env,
      );
      const written = readFragments(this.fragments.dir);
      const now = findFragment({ fragments: written }, name);
      return {
        file: fragmentFile(name),
        revision: now === undefined ? null : revisionOf(now),
        before: before === undefined ? null : shown(before.mapping),
        after: mapping === undefined ? null : shown(mapping),
        warnings: warningsAbout(fragmentFile(name), next),
      };
    });
  }
}

/** What of ours is there. @throws ConfigurationUnchanged when it is somebody else's, or not what was seen */
function replaceable(
  files: ConfigurationFiles,
  name: string,
  seen: string | null,
): SavedMapping | undefined {
  assertOurs(files, name, AUTHOR);
  const fragment = findFragment(files, name);
  const present = fragment && savedIn(fragment);
  if (fragment !== undefined && present === undefined) {
    throw new ConfigurationUnchanged('foreign', fragment.file);
  }
  if ((present?.revision ?? null) !== seen) {
    throw new ConfigurationUnchanged('changed', fragmentFile(name));
  }
  return present;
}

/** Undefined: it is not ours, or a person has put into it what only a person may. */
function savedIn(fragment: Fragment): SavedMapping | undefined {
  if (!isWrittenBy(fragment, AUTHOR)) return undefined;
  const { sections } = parseSections(fragment.text, fragment.file);
  const { value, problems } = expandVariables(sections, {});
  const mapping = getField(value, 'hooks', 'mappings', 0);
  const id = getText(mapping, 'id');
  if (problems.length > 0 || !isRecord(mapping) || id === undefined) return undefined;
  const isAll = isDeepStrictEqual(value, sectionsOf(mapping));
  if (!isAll || fragment.file !== fragmentFile(PREFIX + id)) return undefined;
  return { id, file: fragment.file, revision: revisionOf(fragment), mapping };
}

function sectionsOf(mapping: Mapping): { hooks: { mappings: Mapping[] } } {
  return { hooks: { mappings: [mapping] } };
}

function revisionOf({ text }: Fragment): string {
  return hash('sha256', text);
}

/** @throws ConfigurationUnchanged for what only whoever may write the files themselves can say */
function assertHarmless(mapping: Mapping, id: string): void {
  const secret = textsIn(mapping, PLACE).find(({ place }) => isSecretPlace(place));
  const problems = [
    ...(mapping['id'] === id ? [] : [`id must be ${id}, as in the address`]),
    ...(secret === undefined
      ? []
      : [
          `${secret.place.key} is a secret, and none is kept in a mapping that is saved here: enable the preset of its sender, or write the mapping into a file of yours`,
        ]),
    ...(mapping['allowUnsafeExternalContent'] === true
      ? [
          'allowUnsafeExternalContent takes the safety boundary away: that can only be written into a file of yours',
        ]
      : []),
  ];
  if (problems.length > 0) throw new ConfigurationUnchanged('refused', problems.join('\n'));
}

/** Without what looks like a secret: who may read the audit need not be who may save. */
function shown(mapping: Mapping): Mapping {
  const sections = sectionsOf(mapping);
  const masked = getField(maskSecrets(sections, sections), 'hooks', 'mappings', 0);
  return isRecord(masked) ? masked : {};
}

function warningsAbout(file: string, next: Inspection): string[] {
  const own = next.warnings.filter(({ key }) => key.startsWith(`${file}: `));
  return maskProblems(own, next).map(({ key, message }) => `${key} ${message}`);
}
