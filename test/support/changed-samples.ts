import { readSample } from '../../src/hooks/senders/index.ts';

export interface SampleRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Values by their paths, `a.b`; `undefined` takes a value away. `headers.x` is a header. */
export type Changes = Readonly<Record<string, unknown>>;

export function changedSample(preset: string, event: string, changes: Changes = {}): SampleRequest {
  const sample = readSample(preset, event);
  if (sample === undefined) throw new Error(`there is no sample ${preset} ${event}`);
  const request = structuredClone({ headers: sample.headers, body: sample.body });
  for (const [path, value] of Object.entries(changes)) {
    if (path.startsWith('headers.'))
      set(request, ['headers', path.slice('headers.'.length)], value);
    else set(request, ['body', ...path.split('.')], value);
  }
  return request as SampleRequest;
}

function set(request: object, keys: readonly string[], value: unknown): void {
  const place = keys
    .slice(0, -1)
    .reduce((object: object, key) => Reflect.get(object, key) as object, request);
  Reflect.set(place, keys.at(-1) ?? '', value);
}
