import type { GoldenAnswer, GoldenAnswers } from './replay.ts';
import { everywhereWithAnEnd } from './requests/everywhere.ts';

/**
 * Where the answers are meant to differ from those of version 1. The recorded answers stay as they are; what is listed
 * here is expected instead, from the commit on that sets `isMade`. Of several changes to one answer the last counts.
 */
export interface WantedChange {
  readonly reason: string;
  /** False: not built yet, the recorded answers are expected. */
  readonly isMade: boolean;
  readonly hosts: readonly string[] | 'all';
  readonly exceptHosts?: readonly string[];
  /** Titles. */
  readonly requests: readonly string[];
  /** The new answers; or where the like were recorded: by default for the same request, in the same host. */
  readonly expected:
    | GoldenAnswers
    /** `path`: what is stored as the request's path instead. */
    | { readonly host?: string; readonly request?: string; readonly path?: string }
    /** Of each step, from what was recorded for it and for a plain wake of the same host. */
    | ((step: GoldenAnswer, wake: GoldenAnswer, title: string) => GoldenAnswer);
}

/** Where version 1 does not reach the hooks, since senders name no version. */
const VERSIONED = ['version-uri-bare', 'version-header', 'version-custom', 'version-media-type'];
/** Answered as a plain host is, whatever was recorded. */
const AS_PLAIN = [...VERSIONED, 'closing'];
/** Not asked the compact list. */
const OWN_LISTS = ['policies', 'limits', 'throttle', 'throttle-strict'];

/** Bodies that are still under way when the answer is decided before they are read. */
const UNREAD_BODY = [
  'wake: in chunks',
  'body: one byte too many in chunks',
  'body: one byte too many by content-length',
  'token: wrong, 10 MB announced and none sent',
];

const keepAlive = { connection: 'keep-alive', 'keep-alive': 'timeout=72' };

function withConnection({ headers, ...answer }: GoldenAnswer, isKept: boolean): GoldenAnswer {
  const { 'keep-alive': _kept, connection: _connection, ...others } = headers;
  return { ...answer, headers: { ...others, ...(isKept ? keepAlive : { connection: 'close' }) } };
}

/** What the host does to a wake, it does to every request of a hook now. */
function asWake(step: GoldenAnswer, wake: GoldenAnswer, title: string): GoldenAnswer {
  const body = title === 'method: HEAD' ? step.body : wake.body;
  return withConnection({ ...wake, body }, !UNREAD_BODY.includes(title));
}

const REFUSED_BEFORE_NEST = [
  'wake: in chunks',
  'token: none',
  'token: wrong',
  'token: wrong, for no such hook',
  'token: wrong, 10 MB announced and none sent',
  'query: a token',
  'method: GET',
  'method: GET without a token',
  'method: PUT',
  'method: HEAD',
  'method: OPTIONS',
  'path: ~',
  'path: ~/',
  'type: text/plain',
  'type: gzip that is none',
  'body: one byte too many by content-length',
  'body: one byte too many in chunks',
  'wire: three on one connection',
];

/** Decided while the body is read, which is in the handler now. */
const REFUSED_BY_BODY = [
  'wake: in chunks',
  'path: ~',
  'path: ~/',
  'type: text/plain',
  'type: gzip that is none',
  'body: one byte too many by content-length',
  'body: one byte too many in chunks',
];

const SHOWN = '; the agent is shown all of the payload';

/** With a warning that a template finds nothing, where there is one: now it goes on. */
function showsPayload({ headers, body, stored, ...step }: GoldenAnswer): GoldenAnswer {
  const told = body as { warnings?: readonly string[] };
  if (told.warnings === undefined) return { headers, body, stored, ...step };
  const goOn = (warnings: readonly string[]): string[] => warnings.map((one) => one + SHOWN);
  const longer = SHOWN.length * told.warnings.length;
  return {
    ...step,
    headers: { ...headers, 'content-length': String(Number(headers['content-length']) + longer) },
    body: { ...told, warnings: goOn(told.warnings) },
    stored: stored.map((event) => ({ ...event, warnings: goOn(event.warnings) })),
  };
}

const EMPTY_LIST = 'mapped: an empty list is 204';

const SKIPPED_LIST = {
  ok: true,
  skipped: true,
  reason: 'items is empty',
  eventId: '<id 1>',
};

/** A 204 becomes a 200 that says why; whatever else a host answers stays. */
function asSkipped(step: GoldenAnswer): GoldenAnswer {
  if (step.status !== 204) return step;
  const { 'event-id': _event, ...headers } = step.headers;
  const length = JSON.stringify({ ...SKIPPED_LIST, eventId: 'x'.repeat(36) }).length;
  return {
    ...step,
    status: 200,
    headers: {
      ...headers,
      'content-length': String(length),
      'content-type': 'application/json; charset=utf-8',
    },
    body: SKIPPED_LIST,
  };
}

/** Hosts in which nothing else decides before the content type is looked at. */
const DECIDED_BY_TYPE = [
  'plain',
  'catch-all',
  'guard-marked',
  'paused',
  'pipe-and-filter',
  'store-down',
  'body-limit-of-10-bytes',
  'path-with-a-parameter',
  'two-ingresses-marked',
  'validation-pipe',
  ...['catch-error', 'map', 'retry', 'timeout'].map((name) => `interceptor-${name}`),
  ...['cors', 'decompress', 'decompress-on-every-request'].map((name) => `plugin-${name}`),
  ...['raw-body', 'raw-body-on-every-request'].map((name) => `plugin-${name}`),
  ...['_api', '_api_', 'api', 'like-a-version', 'with-a-parameter', 'with-exclude'].map(
    (name) => `prefix-${name}`,
  ),
  ...['all-of-them', 'any-case', 'duplicate-slashes', 'semicolon', 'trailing-slash'].map(
    (name) => `router-${name}`,
  ),
];

/** The refusal of a content type in other words: what to change at the sender. */
function saying(error: string): (step: GoldenAnswer) => GoldenAnswer {
  return ({ headers, body, ...step }) => {
    const before = body as { error: string };
    const length = Number(headers['content-length']) + error.length - before.error.length;
    return {
      ...step,
      headers: { ...headers, 'content-length': String(length) },
      body: { ...before, error },
    };
  };
}

const UNCOMPRESSED = 'Send the body uncompressed: switch compression off at the sender.';

// A host with versioning by URI and a default version had the hooks at /v1/hooks; they are at /hooks now, see the host
// `version-uri-bare`, and what /v1/hooks answers is the host's own.
export const wantedChanges: readonly WantedChange[] = [
  {
    reason: 'One hook has one spelling: /hooks//wake is no wake.',
    isMade: true,
    hosts: 'all',
    // The one takes every name, the others answer before they look at it.
    exceptHosts: [
      'catch-all',
      'disabled',
      'interceptor-swallow',
      'interceptor-cached',
      'guard-broken',
      'guard-unmarked',
      'two-ingresses-unmarked',
      ...AS_PLAIN,
      ...OWN_LISTS,
    ],
    requests: ['path: ~//wake'],
    expected: { request: 'mapped: no such hook' },
  },
  {
    reason: 'A mapping that takes every name takes /hooks//wake, too, as it takes /hooks/wake/.',
    isMade: true,
    hosts: ['catch-all'],
    requests: ['path: ~//wake'],
    expected: { request: 'path: ~/wake/', path: '/wake' },
  },
  {
    reason: 'A name is stored as it came, with the slashes before it.',
    isMade: true,
    hosts: [
      'plain',
      'catch-all',
      'router-any-case',
      'router-trailing-slash',
      'router-duplicate-slashes',
      'router-semicolon',
      'router-all-of-them',
    ],
    requests: ['path: ~//a/b'],
    expected: { path: '/a/b' },
  },
  {
    reason: 'The versions of a host are no business of senders: the hooks are version-neutral.',
    isMade: true,
    hosts: VERSIONED,
    requests: Object.keys(everywhereWithAnEnd),
    expected: { host: 'plain' },
  },
  {
    reason: 'A stop goes on accepting until its runs have ended.',
    isMade: true,
    hosts: ['closing'],
    requests: [...Object.keys(everywhereWithAnEnd), 'body: one byte too many in chunks'],
    expected: { host: 'plain' },
  },
  {
    reason: 'As in the two above, and /hooks//wake is no wake.',
    isMade: true,
    hosts: AS_PLAIN,
    requests: ['path: ~//wake'],
    expected: { host: 'plain', request: 'mapped: no such hook' },
  },
  {
    reason: "A host's global guards run before ours: unmarked hooks are refused, whoever asks.",
    isMade: true,
    hosts: ['guard-unmarked', 'guard-broken', 'two-ingresses-unmarked'],
    requests: REFUSED_BEFORE_NEST,
    expected: asWake,
  },
  {
    reason: "As above, for the sibling's token.",
    isMade: true,
    hosts: ['two-ingresses-unmarked'],
    requests: ['token of: one'],
    expected: asWake,
  },
  {
    reason:
      'An interceptor that never calls the handler keeps the body unread, whatever is wrong with it.',
    isMade: true,
    hosts: ['interceptor-swallow', 'interceptor-cached'],
    requests: REFUSED_BY_BODY,
    expected: asWake,
  },
  {
    reason: 'A body that has ended by the time it is refused keeps its connection.',
    isMade: true,
    hosts: ['plain'],
    requests: ['type: text/plain without a body'],
    expected: (step) => withConnection(step, true),
  },
  {
    reason:
      'Presets ask for no heartbeat of their own. What the sender is answered stays the same.',
    isMade: true,
    hosts: ['plain'],
    requests: ['mapped: the mail preset'],
    expected: (step) => ({
      ...step,
      stored: step.stored.map((event) => ({
        ...event,
        actions: event.actions.map((action) => ({ ...action, wakeMode: 'next-heartbeat' })),
      })),
    }),
  },
  {
    reason: 'A channel that nobody serves is told in the answer.',
    isMade: true,
    hosts: ['plain'],
    requests: ['agent: every field'],
    expected: ({ headers, body, stored, ...step }) => {
      const warning = 'chan_2 has no provider, so the reply cannot be delivered';
      const warnings = [...(body as { warnings: string[] }).warnings, warning];
      const told = { ...(body as object), warnings };
      return {
        ...step,
        // Ids stand in the recorded body under shorter names.
        headers: {
          ...headers,
          'content-length': String(Number(headers['content-length']) + warning.length + 3),
        },
        body: told,
        stored: stored.map((event) => ({ ...event, warnings })),
      };
    },
  },
  {
    reason: 'A text template that finds nothing shows the payload, as a list of lines does.',
    isMade: true,
    hosts: ['plain'],
    requests: [
      'body: the most bytes by content-length',
      'body: the most bytes in chunks',
      'body: no bytes in chunks',
      'mapped: a template that finds nothing',
      'key: on another path',
    ],
    expected: showsPayload,
  },
  {
    reason: 'Some senders take a 204 for a failure: an empty list is answered 200 with the reason.',
    isMade: true,
    hosts: 'all',
    exceptHosts: [...AS_PLAIN, ...OWN_LISTS],
    requests: [EMPTY_LIST],
    expected: asSkipped,
  },
  {
    reason: 'As above, for a list that comes twice under one key.',
    isMade: true,
    hosts: ['plain'],
    requests: ['key: of nothing to do'],
    expected: asSkipped,
  },
  {
    reason: 'As above, for what answers as a plain host does.',
    isMade: true,
    hosts: AS_PLAIN,
    requests: [EMPTY_LIST],
    expected: [
      asSkipped({
        status: 204,
        headers: { ...keepAlive, date: '<date>' },
        body: '',
        stored: [
          {
            hook: 'list',
            mapping: 'list',
            request: {
              path: 'list',
              query: {},
              headers: {
                host: 'gateway.test',
                'content-type': 'application/json',
                'content-length': '12',
              },
              client: '127.0.0.1',
              verifiedBy: 'token',
              payload: { items: [] },
            },
            warnings: [],
            actions: [],
          },
        ],
      }),
    ],
  },
  {
    reason: 'A compressed body is refused with what to change at the sender.',
    isMade: true,
    hosts: DECIDED_BY_TYPE,
    requests: ['type: gzip that is none'],
    expected: saying(UNCOMPRESSED),
  },
  {
    reason: 'As above, where version 1 refused before it looked at the type.',
    isMade: true,
    hosts: AS_PLAIN,
    requests: ['type: gzip that is none'],
    expected: [
      {
        status: 415,
        headers: {
          connection: 'close',
          'content-length': '120',
          'content-type': 'application/json; charset=utf-8',
          date: '<date>',
        },
        body: {
          ok: false,
          error: UNCOMPRESSED,
          code: 'unsupported_media_type',
        },
        stored: [],
      },
    ],
  },
  {
    reason: 'As above, for every other compressed body.',
    isMade: true,
    hosts: ['plain'],
    requests: ['encoding: br', 'encoding: GZIP', 'encoding: identity'],
    expected: saying(UNCOMPRESSED),
  },
  {
    reason: 'As above, where a plugin of the host unpacks bodies.',
    isMade: true,
    hosts: DECIDED_BY_TYPE.filter((name) => /decompress|raw-body/.test(name)),
    requests: ['gzip: a wake', 'gzip: no JSON', 'gzip: too many bytes once unpacked'],
    expected: saying(UNCOMPRESSED),
  },
  {
    reason: 'A multipart body is refused with what to change at the sender.',
    isMade: true,
    hosts: ['plain'],
    requests: ['type: multipart/form-data'],
    expected: saying(
      'Set the sender to send JSON in UTF-8: Content-Type application/json, instead of multipart.',
    ),
  },
];
