import { crc32 } from 'node:zlib';
import { getField, getText } from '../../../../platform/objects.ts';
import { parseJson } from '../../parse-json.ts';
import type { Place } from '../../../senders/index.ts';
import type { RequestHead, SignedRequest } from './signed-request.ts';

/** Longer ones are of no scheme, and are refused before anybody takes them apart. */
const LONGEST_HEADER = 4096;
/** More parameters than any sender has; sorting a megabyte of them would be work for a stranger. */
const MOST_PARAMETERS = 1000;

/** A header's text, trimmed; undefined when it is absent or blank, null when no scheme can have sent it. */
export function readHeader({ headers }: RequestHead, name: string): string | null | undefined {
  const value = headers[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.length > LONGEST_HEADER) return null;
  return value.trim() || undefined;
}

export class Delivery {
  #json: { value: unknown } | undefined;
  #form: readonly (readonly [string, string])[] | null | undefined;

  constructor(readonly request: SignedRequest) {}

  /** The body as JSON; undefined when it is none. */
  get json(): unknown {
    this.#json ??= { value: parsed(this.request.body) };
    return this.#json.value;
  }

  /** The parameters of a form; null when the request does not say that it is one, or has too many. */
  get form(): readonly (readonly [string, string])[] | null {
    if (this.#form === undefined) this.#form = parameters(this.request);
    return this.#form;
  }

  /** The text at a place: undefined when there is none, null when it is longer than any. */
  read(place: Place): string | null | undefined {
    if ('header' in place) return readHeader(this.request, place.header);
    const text = getText(this.json, ...place.field.split('.'));
    return text !== undefined && text.length > LONGEST_HEADER ? null : text || undefined;
  }
}

function parsed(body: Buffer): unknown {
  try {
    return parseJson(body).value;
  } catch {
    return undefined;
  }
}

function parameters(request: SignedRequest): readonly (readonly [string, string])[] | null {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') return null;
  let at = -1;
  for (let count = 0; (at = request.body.indexOf('&', at + 1)) !== -1; count += 1) {
    if (count >= MOST_PARAMETERS) return null;
  }
  return [...new URLSearchParams(request.body.toString())];
}

export interface ContentParts {
  readonly timestamp?: string;
  readonly id?: string;
  readonly url?: string;
  readonly secret?: string;
}

type Part = string | Buffer | undefined;
type Reader = (delivery: Delivery, parts: ContentParts) => Part;

const READERS: Readonly<Record<string, Reader>> = {
  body: ({ request }) => request.body,
  timestamp: (_, { timestamp }) => timestamp,
  id: (_, { id }) => id,
  method: ({ request }) => request.method,
  url: (_, { url }) => url,
  secret: (_, { secret }) => secret,
  crc32: ({ request }) => String(crc32(request.body)),
  form: ({ form }) => (form === null ? undefined : joinForm(form)),
};

/** Keys in the order of their letters, each followed by its values: sorted, and every value once. */
function joinForm(form: readonly (readonly [string, string])[]): string {
  const values = new Map<string, Set<string>>();
  for (const [key, value] of form) {
    const known = values.get(key);
    if (known === undefined) values.set(key, new Set([value]));
    else known.add(value);
  }
  return [...values.keys()]
    .toSorted()
    .flatMap((key) => [...(values.get(key) ?? [])].toSorted().map((value) => key + value))
    .join('');
}

/** Makes the signed text of a request; null when a part of it is not there. */
export type ContentMaker = (delivery: Delivery, parts: ContentParts) => Buffer | null;

/** @param template see `SignatureProof.signed`; an unknown name in braces is a mistake in the row. */
export function compileContent(template: string): ContentMaker {
  if (template === '{body}') return ({ request }) => request.body;
  const readers = template
    .split(/(\{[^}]+\})/)
    .filter((piece) => piece !== '')
    .map((piece) => (piece.startsWith('{') ? readerOf(piece.slice(1, -1)) : literal(piece)));
  return (delivery, parts) => {
    const pieces: Buffer[] = [];
    for (const read of readers) {
      const piece = read(delivery, parts);
      if (piece === undefined) return null;
      pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
    }
    return Buffer.concat(pieces);
  };
}

function literal(text: string): Reader {
  const bytes = Buffer.from(text);
  return () => bytes;
}

function readerOf(name: string): Reader {
  if (name.startsWith('field:')) {
    const place = { field: name.slice('field:'.length) };
    return (delivery) => delivery.read(place) ?? undefined;
  }
  const reader = READERS[name];
  if (reader === undefined) throw new Error(`no row can sign {${name}}`);
  return reader;
}

/** Two lines for each field, name and value, in this order; an absent one is left out. Null: one is no text. */
export function linesOf(body: unknown, fields: readonly string[]): Buffer | null {
  const lines: string[] = [];
  for (const field of fields) {
    const value = getField(body, field);
    if (value === undefined) continue;
    if (typeof value !== 'string') return null;
    lines.push(field, value);
  }
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}
