const MB = 1024 * 1024;
/** What a busy day of payloads and their log may take. */
const LITTLE_MB = 1024;
const HARDLY_ANY_MB = 100;

/** What to do where there is little room. */
export const MAKE_ROOM = 'make room: without it every hook is answered 503';

/** How much room is left where the ledger is; `what` continues "are free": `1,204 MB`. */
export function diskRoom(freeBytes: number): {
  readonly state: 'enough' | 'little' | 'hardly any';
  readonly what: string;
} {
  const free = Math.floor(freeBytes / MB);
  const what = `${free.toLocaleString('en')} MB`;
  if (free < HARDLY_ANY_MB) return { state: 'hardly any', what };
  return { state: free < LITTLE_MB ? 'little' : 'enough', what };
}
