import type { AttentionItem } from './status-answers.ts';

const MB = 1024 * 1024;
/** What a busy day of payloads and their log may take. */
const LITTLE_MB = 1024;
const HARDLY_ANY_MB = 100;

export function diskRoom(freeBytes: number): {
  readonly room: string;
  /** Undefined: it is enough. */
  readonly lack?: Pick<AttentionItem, 'severity' | 'what' | 'todo'>;
} {
  const free = Math.floor(freeBytes / MB);
  const room = `${free.toLocaleString('en')} MB`;
  if (free >= LITTLE_MB) return { room };
  const lack = {
    severity: free < HARDLY_ANY_MB ? ('error' as const) : ('warning' as const),
    what: `only ${room} are free on the disk of the ledger`,
    todo: 'make room: without it every hook is answered 503',
  };
  return { room, lack };
}
