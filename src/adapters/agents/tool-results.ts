import type { Tool, ToolSet } from 'ai';

import { neutralize } from '../../hooks/boundary/index.ts';
import { getField, getText } from '../../platform/objects.ts';

// A tool brings foreign text, of any length and in any form: it is neutralised like the first text, and cut.

type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>;
type Part = Extract<ModelOutput, { type: 'content' }>['value'][number];

/** Characters of text of one result that are shown: about 25,000 tokens. */
const SHOWN_CHARS = 100_000;
/** Largest image, as base64: what Anthropic takes (docs.anthropic.com, vision). */
const MAX_IMAGE_CHARS = 5 * 1024 * 1024;

export function toShownText(text: string, maxChars = SHOWN_CHARS): string {
  if (text.length <= maxChars) return neutralize(text);
  const left = text.length - maxChars;
  const note = `[${left} of ${text.length} characters left out: ask for less at a time]`;
  return `${neutralize(text.slice(0, maxChars).toWellFormed())}\n${note}`;
}

/** @param readsImages whether the model sees an image in a result; otherwise it is named. */
export function withShownResults(tools: ToolSet, readsImages: boolean): ToolSet {
  const toModelOutput = ({ output }: { output: unknown }) => toModelOutputOf(output, readsImages);
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, { ...tool, toModelOutput }]),
  );
}

function toModelOutputOf(output: unknown, readsImages: boolean): ModelOutput {
  const content: unknown = getField(output, 'content');
  if (!Array.isArray(content)) {
    const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
    return { type: 'text', value: toShownText(text) };
  }
  let left = SHOWN_CHARS;
  const value = content.map((part: unknown): Part => {
    const image = readsImages ? toImage(part) : undefined;
    if (image !== undefined) return image;
    const text = textOf(part);
    const shown = toShownText(text, Math.max(left, 0));
    left -= text.length;
    return { type: 'text', text: shown };
  });
  // One text is what every server takes; chat completions would be sent the parts as JSON.
  if (readsImages && value.some(({ type }) => type !== 'text')) return { type: 'content', value };
  return { type: 'text', value: value.map((part) => getText(part, 'text') ?? '').join('\n') };
}

function toImage(part: unknown): Part | undefined {
  const data = getText(part, 'data');
  const mediaType = getText(part, 'mimeType');
  if (getField(part, 'type') !== 'image' || data === undefined || mediaType === undefined)
    return undefined;
  if (data.length > MAX_IMAGE_CHARS || !/^image\/[a-z0-9.+-]{1,40}$/.test(mediaType))
    return undefined;
  return { type: 'file', mediaType, data: { type: 'data', data } };
}

function textOf(part: unknown): string {
  const text = getText(part, 'text') ?? getText(part, 'resource', 'text');
  if (text !== undefined) return text;
  const data = getText(part, 'data') ?? getText(part, 'resource', 'blob');
  if (data === undefined) return JSON.stringify(part) ?? '';
  const kind = getText(part, 'mimeType') ?? getText(part, 'resource', 'mimeType') ?? 'binary data';
  return `[${String(getField(part, 'type'))} ${kind.slice(0, 100)}, ${kilobytes(data)} KB: not shown]`;
}

function kilobytes(base64: string): number {
  return Math.ceil((base64.length * 3) / 4 / 1024);
}
