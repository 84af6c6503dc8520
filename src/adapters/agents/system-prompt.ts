import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

import type { Agent } from '../../hooks/ports/agent-directory.ts';
import { property } from './property.ts';

/** Name of the file in an agent's workspace that says who the agent is. */
const FILE = 'AGENTS.md';
/** Bytes of it that are read. */
const MOST_BYTES = 64 * 1024;

/** What the model is told before everything else. */
export interface SystemPrompt {
  /** Empty: nothing. */
  readonly text: string;
  /** What could not be used, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * `AGENTS.md` of the workspace, read anew for each turn, and then the agent's instructions. A workspace without the
 * file is as good as one with it; a file that leads out of the workspace or cannot be read is left out with a note.
 */
export async function systemPrompt({ workspace, instructions }: Agent): Promise<SystemPrompt> {
  const { text, notes } =
    workspace === undefined ? { text: '', notes: [] } : await readAgentsFile(workspace);
  const parts = [text, instructions ?? ''].map((part) => part.trim());
  return { text: parts.filter((part) => part !== '').join('\n\n'), notes };
}

async function readAgentsFile(workspace: string): Promise<SystemPrompt> {
  try {
    const root = await realpath(workspace);
    const path = await realpath(join(root, FILE));
    if (!path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) {
      return leftOut('it leads out of the workspace');
    }
    return await readText(path);
  } catch (error) {
    const code = property(error, 'code');
    if (code === 'ENOENT' || code === 'ENOTDIR') return { text: '', notes: [] };
    return leftOut(`it cannot be read (${String(code)})`);
  }
}

async function readText(path: string): Promise<SystemPrompt> {
  // A named pipe without a writer would otherwise hold the turn.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = await file.stat();
  if (!stat.isFile()) return leftOut('it is not a file');
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MOST_BYTES), position: 0 });
  const isWhole = stat.size <= bytesRead;
  // `stream` leaves out a character that the cut went through.
  const text = new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: !isWhole });
  if (isWhole) return { text, notes: [] };
  return { text, notes: [`${FILE} is longer than 64 KB: the model was shown the first 64 KB.`] };
}

function leftOut(reason: string): SystemPrompt {
  return { text: '', notes: [`${FILE} of the workspace was left out: ${reason}.`] };
}
