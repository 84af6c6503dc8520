import { existsSync } from 'node:fs';
import type { Problem, ResolvedHooksOptions } from '../options/index.ts';
import { checkFolders } from './check.ts';
import { UnreadableSender, folderNames, operatorsFolders, readFolder, readOwn } from './folders.ts';
import type { SenderFiles } from './folders.ts';
import { likeScheme } from './like.ts';
import { toPreset } from './preset.ts';
import type { Preset } from './preset.ts';
import { checkSamples } from './samples.ts';
import type { SignatureScheme } from './scheme.ts';

// Which senders a configuration knows: ours, those of folders beside it, and those of `hooks.schemes`. A folder of the
// operator takes the place of ours with its name.

export interface Senders {
  /** None is in force unless the configuration names it; a mapping with its id merges over it, field by field. */
  readonly presets: ReadonlyMap<string, Preset>;
  readonly schemes: ReadonlyMap<string, SignatureScheme>;
}

export const ownSenders: Senders = toSenders(readOwn());

type Settings = Pick<ResolvedHooksOptions, 'hooks' | 'configDir'>;
type Known = Senders & { readonly problems: readonly Problem[] };

/** By settings: what a request began with stays, whatever is written into a folder meanwhile. */
const known = new WeakMap<Settings, Known>();

/** Read once for each configuration. What is wrong is not among them. */
export function sendersOf(settings: Settings): Senders {
  return knownTo(settings);
}

export function senderProblems(settings: Settings): readonly Problem[] {
  return knownTo(settings).problems;
}

function knownTo(settings: Settings): Known {
  const before = known.get(settings);
  if (before !== undefined) return before;
  const found = findSenders(settings);
  known.set(settings, found);
  return found;
}

function findSenders({ hooks, configDir }: Settings): Known {
  const { folders, problems } = readOperators(configDir);
  const theirs = toSenders(folders);
  const presets = new Map([...ownSenders.presets, ...theirs.presets]);
  const schemes = new Map([...ownSenders.schemes, ...theirs.schemes]);
  const written = [...hooks.schemes].map(([id, options]) => likeScheme(id, options, schemes));
  const wrong = written.flatMap((one) => ('problems' in one ? one.problems : []));
  for (const one of written) if (!('problems' in one)) schemes.set(one.id, one);
  return { presets, schemes, problems: [...problems, ...wrong] };
}

function readOperators(configDir: string): {
  readonly folders: Readonly<Record<string, SenderFiles>>;
  readonly problems: readonly Problem[];
} {
  const directory = operatorsFolders(configDir);
  if (!existsSync(directory)) return { folders: {}, problems: [] };
  const problems: Problem[] = [];
  const sound = folderNames(directory).flatMap((id) => {
    try {
      const files = readFolder(new URL(`${id}/`, directory));
      const found = [
        ...checkFolders({ [id]: files }, 'gateway.d/senders'),
        ...checkSamples(id, configDir),
      ];
      problems.push(...found);
      return found.length > 0 ? [] : [[id, files] as const];
    } catch (error) {
      if (!(error instanceof UnreadableSender)) throw error;
      const key = `gateway.d/senders/${id}/${error.file}`;
      problems.push({ key, message: error.message });
      return [];
    }
  });
  return { folders: Object.fromEntries(sound), problems };
}

function toSenders(folders: Readonly<Record<string, SenderFiles>>): Senders {
  const all = Object.entries(folders);
  return {
    presets: new Map(
      all.flatMap(([id, { preset }]) => (preset === undefined ? [] : [[id, toPreset(id, preset)]])),
    ),
    schemes: new Map(
      all.flatMap(([id, { scheme }]) => (scheme === undefined ? [] : [[id, { ...scheme, id }]])),
    ),
  };
}
