import { writtenDigest } from '../../hooks/index.ts';
import type { Environment } from '../configuration/environment.ts';
import { fragmentSections } from '../configuration/files.ts';
import { changeFragment } from '../configuration/fragment-change.ts';
import { fragmentFile } from '../configuration/fragments.ts';
import type { Inspection } from '../configuration/inspect.ts';
import type { Role } from '../configuration/operator-tokens.ts';
import { newToken } from '../configuration/token-file.ts';
import { refuseOver, refuseUnusable } from './sender-tokens.ts';
import { ConfigurationUnchanged } from '../configuration/unchanged.ts';

/**
 * Operators whose tokens were made by the command: `gateway.d/operator-<id>.json5`, a digest alone. Another token takes
 * its place.
 */

export interface OperatorToken {
  /** Kept nowhere but here. */
  readonly token: string;
  readonly file: string;
  /** True: the one before counts no more. */
  readonly isReplaced: boolean;
}

interface WantedOperator {
  readonly id: string;
  readonly role: Role;
  /** ISO 8601. Absent: without end. */
  readonly notAfter?: string;
}

/** Gives an operator a token. @param now epoch milliseconds @param author what the fragment names as its author @throws ConfigurationUnchanged */
export async function giveOperatorToken(
  here: Inspection,
  { id, role, notAfter }: WantedOperator,
  env: Environment,
  author: string,
  now: number,
): Promise<OperatorToken> {
  refuseUnusable(here, id);
  refuseOver(notAfter, now);
  const isReplaced = isMade(here, id);
  const token = newToken();
  const own = {
    id,
    role,
    token: writtenDigest(token),
    ...(notAfter !== undefined && { notAfter }),
  };
  const name = nameOf(id);
  const sections = { ops: { tokens: [own] } };
  await changeFragment(here, { name, sections, command: author }, env);
  return { token, isReplaced, file: fragmentFile(name) };
}

/** Ends the token of an operator that was made here. @throws ConfigurationUnchanged */
export async function endOperatorToken(
  here: Inspection,
  id: string,
  env: Environment,
  author: string,
): Promise<void> {
  refuseUnusable(here, id);
  if (!isMade(here, id)) throw new ConfigurationUnchanged('unknown');
  await changeFragment(here, { name: nameOf(id), sections: undefined, command: author }, env);
}

function isMade({ files }: Inspection, id: string): boolean {
  return fragmentSections(files, nameOf(id)) !== undefined;
}

function nameOf(id: string): string {
  return `operator-${id}`;
}
