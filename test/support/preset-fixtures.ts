import { readFileSync, readdirSync } from 'node:fs';

const DIRECTORY = new URL('../fixtures/presets/', import.meta.url);

export interface SentRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The recorded shape of what the sender of a preset sends (test/fixtures/presets/README.md). */
interface PresetFixture {
  readonly request: SentRequest;
  readonly changed: SentRequest;
  readonly others: readonly (SentRequest & { readonly name: string; readonly message: string })[];
}

type Written = Pick<PresetFixture, 'request'> &
  Partial<Pick<PresetFixture, 'others'>> & {
    readonly change: readonly (readonly [path: string, value: unknown])[];
    readonly changedHeaders?: Readonly<Record<string, string>>;
  };

export function presetFixtureNames(): string[] {
  return readdirSync(DIRECTORY)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));
}

export function presetFixture(name: string): PresetFixture {
  const written = JSON.parse(readFileSync(new URL(`${name}.json`, DIRECTORY), 'utf8')) as Written;
  const { request, others = [], change, changedHeaders } = written;
  const body: unknown = structuredClone(request.body);
  for (const [path, value] of change) set(body, path, value);
  const headers = { ...request.headers, ...changedHeaders };
  return { request, changed: { headers, body }, others };
}

function set(body: unknown, path: string, value: unknown): void {
  const keys = path.replaceAll(/\[(\d+)\]/gu, '.$1').split('.');
  const last = keys.pop() ?? '';
  const place = keys.reduce((object, key) => (object as Record<string, unknown>)[key], body);
  if (!Object.hasOwn(place as object, last)) throw new Error(`the fixture has no ${path}`);
  (place as Record<string, unknown>)[last] = value;
}
