import { errorCode } from '../../platform/errors.ts';
import type { Environment } from './environment.ts';
import { withFragment } from './files.ts';
import type { ConfigurationFiles, Sections } from './files.ts';
import {
  fragmentFile,
  isWrittenBy,
  readFragments,
  removeFragment,
  writeFragment,
} from './fragments.ts';
import type { Fragment } from './fragments.ts';
import { inspectConfiguration } from './inspect.ts';
import type { Inspection } from './inspect.ts';
import { maskProblems } from './masking.ts';
import { ConfigurationUnchanged } from './unchanged.ts';

// All that would be wrong is found before a fragment is written.

export interface FragmentPlan {
  /** `mail` for `gateway.d/mail.json5`. */
  readonly name: string;
  /** As in gateway.json5; texts are data but for what is `Written`. Undefined: the fragment is removed. */
  readonly sections: Sections | undefined;
  /** What the file names as its author: `hooks mail setup`. */
  readonly command: string;
  /** Whether that command keeps what a person adds to the file. @default false */
  readonly keepsKeys?: boolean;
}

/** Where there is nothing that could be changed. @throws ConfigurationUnchanged */
export function assertConfigured({ isDemo, problems }: Inspection): void {
  if (isDemo) throw new ConfigurationUnchanged('demo');
  if (problems.length > 0) throw new ConfigurationUnchanged('broken');
}

/** A file that a person wrote is not replaced, whatever its name. @param command its author, as far as all its files say it */
export function assertOurs(files: ConfigurationFiles, name: string, command: string): void {
  const own = findFragment(files, name);
  if (own !== undefined && !isWrittenBy(own, command)) {
    throw new ConfigurationUnchanged('foreign', own.file);
  }
}

/** Undefined: there is none of that name. */
export function findFragment(
  { fragments = [] }: Pick<ConfigurationFiles, 'fragments'>,
  name: string,
): Fragment | undefined {
  return fragments.find(({ file }) => file === fragmentFile(name));
}

/**
 * @param here as it was read; whoever wrote the fragment since is not overwritten
 * @returns the configuration as it is then
 * @throws ConfigurationUnchanged
 */
export async function changeFragment(
  here: Inspection,
  { name, sections, command, keepsKeys }: FragmentPlan,
  env: Environment,
): Promise<Inspection> {
  const { dir, files } = here;
  const next = await inspectConfiguration(dir, env, withFragment(files, name, sections));
  if (next.problems.length > 0) {
    const lines = maskProblems(next.problems, next).map(({ key, message }) => `${key} ${message}`);
    throw new ConfigurationUnchanged('refused', lines.join('\n'));
  }
  // A service that loses all of its files keeps what was in force, this fragment included.
  if (next.isDemo)
    throw new ConfigurationUnchanged('refused', 'this file is the whole configuration');
  try {
    // From here on nothing is awaited.
    const now = findFragment({ fragments: readFragments(dir) }, name);
    if (now?.text !== findFragment(files, name)?.text) {
      throw new ConfigurationUnchanged('changed', fragmentFile(name));
    }
    if (sections === undefined) removeFragment(dir, name);
    else writeFragment(dir, name, sections, command, keepsKeys);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw new ConfigurationUnchanged('unwritable', code);
  }
  return next;
}
