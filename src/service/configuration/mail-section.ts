import { OptionPlace, isMetBy } from '../../hooks/index.ts';
import type { Problem } from '../../hooks/index.ts';
import { MailOptions, resolveMail } from '../../mail/index.ts';
import { getField, isRecord } from '../../platform/objects.ts';
import type { Sections } from './files.ts';

const PRESET = 'mail';

/** The hook that watchers send to: the preset's path. */
export const MAIL_HOOK = PRESET;

/** Keys of `hooks.mail` that belong to the mapping, not to the watcher: a reload applies them. */
const OF_THE_MAPPING = OptionPlace.of(MailOptions)
  .below()
  .filter(({ traits }) => traits.restart === false)
  .map(({ key }) => key);

// `hooks.mail` is one block that serves the watcher and the mapping "mail"; what is wrong with the mapping is reported
// under the key that was written.

export interface DividedHooks {
  readonly hooks: Sections;
  readonly mail: MailOptions | undefined;
  readonly problems: readonly Problem[];
  /** Where a problem is written that the hooks module finds in what came from `hooks.mail`. */
  readonly written: (problem: Problem) => Problem;
}

/** Takes `mail` out of the `hooks` section: the watcher's part of it, and a mapping that merges over the preset. */
export function divideHooks(section: Sections): DividedHooks {
  const { mail: given, ...hooks } = section;
  const asWritten = (problem: Problem): Problem => problem;
  if (given === undefined) return { hooks, mail: undefined, problems: [], written: asWritten };
  const { value, problems } = resolveMail(given);
  const own = mappingFields(value);
  const all = [...problems, ...presetProblems(hooks), ...duplicates(hooks, own)];
  if (all.length > 0 || Object.keys(own).length === 0) {
    return { hooks, mail: value, problems: all, written: asWritten };
  }
  const { mappings, index } = withMapping(listMappings(hooks), own);
  return {
    hooks: { ...hooks, mappings },
    mail: value,
    problems: [],
    written: (problem) => writtenUnderMail(problem, index, own),
  };
}

/** What needs a restart: everything that is not the mapping's. */
export function watcherPart(mail: MailOptions | undefined): object | undefined {
  if (mail === undefined) return undefined;
  const own = Object.entries(mail).filter(([key]) => !OF_THE_MAPPING.includes(key));
  return Object.fromEntries(own);
}

function mappingFields(mail: MailOptions): Sections {
  const fields = OF_THE_MAPPING.map((key): [string, unknown] => [key, getField(mail, key)]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** Without the preset nothing would take what the watcher sends. */
function presetProblems({ presets }: Sections): Problem[] {
  if (Array.isArray(presets) && presets.includes(PRESET)) return [];
  const message = 'needs the hook that takes its mail: add "mail" to hooks.presets';
  return [{ key: 'hooks.mail', message }];
}

/** The same field in both places could only contradict itself. */
function duplicates(hooks: Sections, own: Sections): Problem[] {
  const mapping = listMappings(hooks).find(isMail);
  if (mapping === undefined) return [];
  return Object.keys(own)
    .filter((key) => key in mapping)
    .map((key) => ({
      key: `hooks.mail.${key}`,
      message: `is also given in the mapping "${PRESET}" of hooks.mappings; keep one of both`,
    }));
}

function listMappings({ mappings }: Sections): readonly unknown[] {
  return Array.isArray(mappings) ? mappings : [];
}

function isMail(mapping: unknown): mapping is Sections {
  return isRecord(mapping) && mapping['id'] === PRESET;
}

/** Into the mapping that is there; else behind all others, where the preset would be. */
function withMapping(
  mappings: readonly unknown[],
  own: Sections,
): { mappings: unknown[]; index: number } {
  const at = mappings.findIndex(isMail);
  if (at < 0) return { mappings: [...mappings, { id: PRESET, ...own }], index: mappings.length };
  return {
    mappings: mappings.map((mapping, index) =>
      index === at && isMail(mapping) ? { ...mapping, ...own } : mapping,
    ),
    index: at,
  };
}

/** Who wrote a mail, in a condition. */
const SENDER = /^\s*payload\.messages\[\d*\]\.from(?:Address)?\s*$/;

/** Conditions on the sender that cannot be meant, wherever a mapping has them. */
export function senderWarnings(mail: MailOptions | undefined, hooks: Sections): Problem[] {
  if (mail === undefined) return [];
  return listMappings(hooks).flatMap((mapping, index) =>
    recordsIn(mapping)
      .flatMap((record) => Object.keys(record).flatMap((place) => mistakeOf(place, record, mail)))
      .map((message) => ({ key: `hooks.mappings[${index}]`, message })),
  );
}

function mistakeOf(place: string, record: Sections, { authservId }: MailOptions): string[] {
  if (!SENDER.test(place)) return [];
  const own = place.trim();
  const authentic = own.replace(/from(?:Address)?$/, 'authentic');
  const asked = Object.entries(record).find(([key]) => key.trim() === authentic)?.[1];
  const isMet = (one: unknown): boolean =>
    asked === undefined
      ? one === true
      : isMetBy(
          { messages: [{ authentic: one }] },
          { [authentic.replace(/\[\d+\]/, '[0]')]: asked },
        );
  if (isMet(false) || isMet('unknown')) return [`asks ${own} of forged mail, too, by ${authentic}`];
  if (authservId === undefined) {
    return [
      `asks ${own}, which is met by no mail: set hooks.mail.authservId to the name of the server whose word counts`,
    ];
  }
  const advice = 'where its author can write any name and address; ask fromAddress';
  return own.endsWith('from') ? [`asks ${own}, ${advice}`] : [];
}

function recordsIn(value: unknown): Sections[] {
  if (Array.isArray(value)) return value.flatMap(recordsIn);
  return isRecord(value) ? [value, ...Object.values(value).flatMap(recordsIn)] : [];
}

/** A problem of the mapping under the key of `hooks.mail` that it came from. */
function writtenUnderMail(problem: Problem, index: number, own: Sections): Problem {
  const key = Object.keys(own).find((name) => problem.key === `hooks.mappings[${index}].${name}`);
  return key === undefined ? problem : { ...problem, key: `hooks.mail.${key}` };
}
