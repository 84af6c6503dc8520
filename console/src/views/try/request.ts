import { answer, api } from '../../api/client.ts';

// A request that is tried: what a sender would send, as one edits it.

export interface Draft {
  /** Below the prefix: `wake`, `agent`, or the sub-path of a mapped hook. */
  readonly hook: string;
  /** A line each: `name: value`. */
  readonly headers: string;
  readonly body: string;
  /** A mapping as JSON that is tried with it; empty: those in force alone. */
  readonly mapping: string;
}

export const FIRST: Draft = {
  hook: 'agent',
  headers: '',
  body: JSON.stringify({ message: 'Say hello', name: 'Greeter' }, undefined, 2),
  mapping: '',
};

/** What a new mapping begins with. */
export const NEW_MAPPING = JSON.stringify(
  {
    id: 'new',
    match: { path: 'new' },
    action: 'agent',
    messageTemplate: 'A thing happened: {{ payload.title }}',
  },
  undefined,
  2,
);

/** Nothing that can be asked for: what is being typed is no JSON yet. */
export class NotYet extends Error {}

/** What the preview API is asked. @throws NotYet */
export function toPreview({ hook, headers, body, mapping }: Draft) {
  return {
    hook: hook.trim(),
    headers: parseHeaders(headers),
    payload: parse(body, 'The payload'),
    ...(mapping.trim() === '' ? {} : { mapping: asObject(parse(mapping, 'The mapping')) }),
  };
}

/** The mapping that is being written; undefined: it is no JSON object yet. */
export function draftedMapping(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(parse(text, 'The mapping'));
  } catch {
    return undefined;
  }
}

function parse(text: string, what: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new NotYet(`${what} is no JSON yet.`);
  }
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new NotYet('The mapping is no object yet.');
}

export function parseHeaders(lines: string): Record<string, string> {
  const entries = lines.split('\n').flatMap((line) => {
    const colon = line.indexOf(':');
    return colon <= 0
      ? []
      : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** The sample of a preset as its sender would send it. */
export async function sampleDraft(preset: string, name: string): Promise<Omit<Draft, 'mapping'>> {
  const params = { path: { preset, name } };
  const { hook, headers, body } = await answer(
    api.GET('/ops/api/samples/{preset}/{name}', { params }),
  );
  return { hook, headers: headerLines(headers), body: indented(body) };
}

/** The request of an earlier event. Its credentials are not kept, and need not be: a preview asks for none. */
export async function eventDraft(id: string): Promise<Omit<Draft, 'mapping'>> {
  const { hook, request } = await answer(
    api.GET('/ops/api/events/{id}', { params: { path: { id } } }),
  );
  if (request.payload === null) throw new NotYet('The payload of this event was forgotten.');
  if (request.payloadBytes !== undefined)
    throw new NotYet('The payload of this event is too large to be shown as a whole.');
  return {
    hook,
    headers: headerLines(request.headers),
    body: JSON.stringify(request.payload, undefined, 2),
  };
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}
