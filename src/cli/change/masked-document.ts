import JSON5 from 'json5';
import { outlineOf } from '../../standalone/editing/json5-outline.ts';
import type { Outline } from '../../standalone/editing/json5-outline.ts';
import { applySplices } from '../../standalone/editing/json5-edit.ts';
import type { Splice } from '../../standalone/editing/json5-edit.ts';
import { MASK, masked } from '../config/show/masking.ts';

const REFERENCE = /^\$\{[A-Za-z_]\w*\}$/;
/** Shorter texts occur by chance. */
const SHORTEST_SECRET = 6;

/** The text of a gateway.json5 as `config show` would show it: secrets are `***` where they stand, and in comments. */
export function maskedDocument(text: string): string {
  const masking = new DocumentMasking(text);
  try {
    JSON5.parse(text);
    masking.walk(outlineOf(text), '', '');
  } catch {
    // A file that is not there yet: of one that is no JSON5 no change is ever made.
    return text;
  }
  return masking.shown();
}

class DocumentMasking {
  readonly #splices: Splice[] = [];
  readonly #secrets = new Set<string>();

  constructor(private readonly text: string) {}

  /** @param key under which the value stands, @param parent under which that object does. */
  walk(outline: Outline, key: string, parent: string): void {
    if (outline.kind === 'scalar') this.#mask(outline, this.#valueAt(outline), key, parent);
    if (outline.kind === 'array') this.#list(outline, key, parent);
    if (outline.kind !== 'object') return;
    for (const member of outline.members) this.walk(member.value, member.key ?? '', key);
  }

  shown(): string {
    const shown = applySplices(this.text, this.#splices);
    return [...this.#secrets].reduce((rest, secret) => rest.replaceAll(secret, MASK), shown);
  }

  /** Arguments of a program mean something only together. */
  #list({ members }: Outline, key: string, parent: string): void {
    const values = members.map(({ value }) =>
      value.kind === 'scalar' ? this.#valueAt(value) : null,
    );
    const shown = leafOf(values, key, parent);
    for (const [index, { value }] of members.entries()) {
      if (value.kind !== 'scalar') this.walk(value, key, parent);
      else if (Array.isArray(shown)) this.#replace(value, values[index], shown[index]);
    }
  }

  #mask(outline: Outline, value: unknown, key: string, parent: string): void {
    this.#replace(outline, value, leafOf(value, key, parent));
  }

  #replace({ start, end }: Outline, value: unknown, shown: unknown): void {
    if (typeof value !== 'string' || value === shown || REFERENCE.test(value)) return;
    if (shown === MASK && value.length >= SHORTEST_SECRET) this.#secrets.add(value);
    const quote = this.text[start] ?? '"';
    this.#splices.push({ start, end, text: JSON5.stringify(shown, { quote }) });
  }

  #valueAt({ start, end }: Outline): unknown {
    return JSON5.parse(this.text.slice(start, end));
  }
}

function leafOf(value: unknown, key: string, parent: string): unknown {
  const inner = masked({ [parent]: { [key]: value } }, undefined)[parent];
  return typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined;
}
