export type JournalRecord =
  | { readonly kind: 'create' | 'open' | 'rename'; readonly file: number; readonly path: string }
  | {
      readonly kind: 'write';
      readonly file: number;
      readonly offset: number;
      readonly data: Buffer;
    }
  | { readonly kind: 'truncate'; readonly file: number; readonly length: number }
  | {
      readonly kind: 'fsync-begin' | 'fsync-end' | 'fsync-failed' | 'remove';
      readonly file: number;
    }
  | { readonly kind: 'answer'; readonly text: string };

/** kind, 3 unused, file: 4, offset: 8, length: 4, 4 unused (shim.c) */
const HEAD_BYTES = 24;

/** Reads what shim.c wrote; a record that a kill cut short is left out. */
export function parseJournal(bytes: Buffer): JournalRecord[] {
  const records: JournalRecord[] = [];
  for (let at = 0; at + HEAD_BYTES <= bytes.length;) {
    const length = bytes.readUInt32LE(at + 16);
    const data = bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length);
    if (data.length < length) break;
    const kind = String.fromCharCode(bytes[at] ?? 0);
    const offset = Number(bytes.readBigUInt64LE(at + 8));
    records.push(recordOf(kind, bytes.readUInt32LE(at + 4), offset, data));
    at += HEAD_BYTES + length;
  }
  return records;
}

function recordOf(kind: string, file: number, offset: number, data: Buffer): JournalRecord {
  switch (kind) {
    case 'C':
      return { kind: 'create', file, path: data.toString() };
    case 'O':
      return { kind: 'open', file, path: data.toString() };
    case 'R':
      return { kind: 'rename', file, path: data.toString() };
    case 'W':
      return { kind: 'write', file, offset, data };
    case 'T':
      return { kind: 'truncate', file, length: offset };
    case 'B':
      return { kind: 'fsync-begin', file };
    case 'E':
      return { kind: 'fsync-end', file };
    case 'F':
      return { kind: 'fsync-failed', file };
    case 'U':
      return { kind: 'remove', file };
    case 'A':
      return { kind: 'answer', text: data.toString() };
    default:
      throw new Error(`shim.c writes no records of kind ${kind}`);
  }
}
