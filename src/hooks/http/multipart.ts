import { Rejection } from '../ports/rejection.ts';
import { charsetOf } from './charset.ts';
import { MOST_FIELDS, TOO_MANY_FIELDS, decodeFields, toFields } from './forms.ts';
import type { RawField } from './forms.ts';

/** What is told of a file: its bytes are counted and dropped. */
interface FormFile {
  readonly field: string;
  /** Without a path. */
  readonly name: string;
  /** Blank where none is said. */
  readonly type: string;
  readonly size: number;
}

/** Longest name and type that are told of a file, in characters: those of file systems have 255. */
const LONGEST_NAME = 255;

/**
 * `multipart/form-data` as any other form, and in `files` what there is of files, in place of a field of that name.
 * @throws Rejection invalid_body; invalid_json for a `payload` that is nested too deep
 */
export async function parseMultipart(
  bytes: Buffer,
  contentType: string,
): Promise<Record<string, unknown>> {
  const { raw, files } = await readParts(bytes, contentType);
  const form = toFields(decodeFields(raw, charsetOf(contentType)));
  return files.length === 0 ? form : { ...form, files };
}

/** The parser is loaded with the first such body: few services ever get one. */
async function readParts(
  bytes: Buffer,
  contentType: string,
): Promise<{ raw: RawField[]; files: FormFile[] }> {
  const parser = await import('@remix-run/multipart-parser');
  const [, quoted, plain = ''] =
    /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  const raw: RawField[] = [];
  const files: FormFile[] = [];
  try {
    if (boundary === '') throw new Error('without a boundary');
    const { length } = bytes;
    const limits = { maxParts: MOST_FIELDS, maxFileSize: length, maxTotalSize: length };
    // Whatever stands before the first boundary is no part of it (RFC 2046 §5.1.1).
    const parts = bytes.subarray(Math.max(0, bytes.indexOf(`--${boundary}`)));
    for (const part of parser.parseMultipart(parts, { boundary, ...limits })) {
      const { name: field, filename, size, headers } = part;
      if (field === undefined) continue;
      if (filename === undefined) {
        const charset = charsetOf(headers['content-type']);
        raw.push({ name: Buffer.from(field), value: Buffer.concat(part.content), charset });
      } else {
        const name = printable(filename.replace(/^.*[/\\]/s, ''));
        files.push({ field, name, type: printable(part.mediaType ?? ''), size });
      }
    }
  } catch (error) {
    if (error instanceof parser.MaxPartsExceededError) throw TOO_MANY_FIELDS;
    const place = `it breaks off after part ${raw.length + files.length}`;
    throw new Rejection('invalid_body', `multipart/form-data, as its Content-Type says: ${place}`);
  }
  return { raw, files };
}

function printable(text: string): string {
  return text.replace(/\p{C}+/gu, '').slice(0, LONGEST_NAME);
}
