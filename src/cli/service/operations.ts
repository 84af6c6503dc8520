import type { paths } from '../../../docs/openapi.d.ts';

/* From the API's own description (docs/openapi.json): a command names a route, and what it gives and gets follow. */

/** Any operation: `GET /ops/api/status`. */
export type Call = {
  [Path in keyof paths]: Path extends `/ops/api/${string}`
    ? `${Uppercase<VerbsOf<paths[Path]>>} ${Path}`
    : never;
}[keyof paths];

/** Verbs that a path has; the description lists the others as `never`. */
type VerbsOf<At> = {
  [Verb in keyof At & string]: [NonNullable<At[Verb]>] extends [never]
    ? never
    : Verb extends 'parameters'
      ? never
      : Verb;
}[keyof At & string];

type Operation<C extends Call> = C extends `${infer Verb} ${infer Path}`
  ? Path extends keyof paths
    ? Lowercase<Verb> extends keyof paths[Path]
      ? paths[Path][Lowercase<Verb>]
      : never
    : never
  : never;

export type AnswerTo<C extends Call> =
  Operation<C> extends { responses: { 200: { content: { 'application/json': infer Answer } } } }
    ? Answer
    : never;

export type QueryOf<C extends Call> =
  Operation<C> extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never;

/** Body of an operation; never: it takes none. */
export type BodyOf<C extends Call> = [RequestBody<C>] extends [never]
  ? never
  : RequestBody<C> extends { content: { 'application/json': infer Body } }
    ? Body
    : never;

type RequestBody<C extends Call> =
  Operation<C> extends { requestBody?: infer Body } ? NonNullable<Body> : never;

export type GivenTo<C extends Call> = PathAndQuery<C> &
  ([BodyOf<C>] extends [never] ? { readonly body?: never } : { readonly body: BodyOf<C> });

type PathAndQuery<C extends Call> =
  Operation<C> extends { parameters: infer Parameters }
    ? Pick<Parameters, Extract<keyof Parameters, 'path' | 'query'>>
    : never;
