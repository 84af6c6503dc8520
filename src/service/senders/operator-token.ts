import { writtenDigest } from '../../hooks/index.ts';
import type { Environment } from '../configuration/environment.ts';
import { fragmentSections } from '../configuration/files.ts';
import type { Inspection } from '../configuration/inspect.ts';
import type { Role } from '../configuration/operator-tokens.ts';
import { newToken } from '../configuration/token-file.ts';
import { refuseOver, refuseUnusable, writeTokens } from './sender-tokens.ts';
import { TokensUnchanged } from './token-refusal.ts';

/*
 * Operators whose tokens were made by the command: a fragment each, `gateway.d/operator-<id>.json5`, which holds a digest
 * alone. An operator has one token: another takes its place.
 */

/** A token that was just made. */
export interface OperatorToken {
  /** Kept nowhere but here. */
  readonly token: string;
  /** Where its digest stands. */
  readonly file: string;
  /** True: the one before counts no more. */
  readonly isReplaced: boolean;
}

/** Whose, and for how long. */
interface WantedOperator {
  readonly id: string;
  readonly role: Role;
  /** ISO 8601. Absent: without end. */
  readonly notAfter?: string;
}

/** Gives an operator a token. @param now epoch milliseconds @param author what the fragment names as its author @throws TokensUnchanged */
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
  const sections = { ops: { tokens: [own] } };
  return { token, isReplaced, file: await writeTokens(here, nameOf(id), sections, env, author) };
}

/** Ends the token of an operator that was made here. @throws TokensUnchanged */
export async function endOperatorToken(
  here: Inspection,
  id: string,
  env: Environment,
  author: string,
): Promise<void> {
  refuseUnusable(here, id);
  if (!isMade(here, id)) throw new TokensUnchanged('unknown');
  await writeTokens(here, nameOf(id), undefined, env, author);
}

function isMade({ files }: Inspection, id: string): boolean {
  return fragmentSections(files, nameOf(id)) !== undefined;
}

function nameOf(id: string): string {
  return `operator-${id}`;
}
