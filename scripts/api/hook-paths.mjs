// The hooks themselves: what Nest's metadata does not tell, because their bodies are read and checked by our own pipes.
import { optionsOf } from '../options/gateway-options.mjs';
import { ValidatorSchemas } from '../options/validator-schemas.mjs';
import { refusalResponses } from './operations.mjs';

/** What only a mapping, or a sender that signs, can meet. */
const OF_MAPPINGS = [
  'invalid_signature',
  'signature_reused',
  'verification_unavailable',
  'verification_busy',
  'unknown_hook',
  'mapping_failed',
  'transform_failed',
  'transform_timeout',
  'transform_queue_full',
];

/** What only a question about a run can meet, and what it can meet besides. */
const OF_RUNS = ['invalid_query', 'unknown_run', 'run_unavailable', 'too_many_waits', 'waits_full'];
const OF_RUNS_TOO = [
  'token_in_query',
  'unauthorized',
  'too_many_auth_failures',
  'refused_by_host',
  'internal_error',
];

/** What only a request with a wrong method meets, which is none of these operations. */
const OF_OTHER_METHODS = ['method_not_allowed'];

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A request with the same key and body runs once, for 72 h; `x-gateway-idempotency-key` is the same.',
  schema: { type: 'string', minLength: 1, maxLength: 256 },
};

const NAME = {
  name: 'name',
  in: 'path',
  required: true,
  description: 'Path of a mapping; it may have slashes.',
  schema: { type: 'string' },
};

const RUN_ID = {
  name: 'runId',
  in: 'path',
  required: true,
  description: 'As the answer to `POST` had it: `runId`, or one of `runIds`.',
  schema: { type: 'string', format: 'uuid' },
};

const SECURITY = [{ hookToken: [] }, { hookTokenHeader: [] }, { hookTokenBasic: [] }];

const REPEATED = {
  'Idempotent-Replayed': {
    description: '`true`: the same key came before, and this is the first answer.',
    schema: { const: 'true' },
  },
};

/** Paths of the hooks below the default prefix. @param {Record<string, { status: number }>} rejections */
export async function hookPaths(declared, rejections) {
  const ofNoPost = [...OF_RUNS, ...OF_OTHER_METHODS];
  const codes = Object.keys(rejections).filter((code) => !ofNoPost.includes(code));
  const builtIn = codes.filter((code) => !OF_MAPPINGS.includes(code));
  // It may name the failed event that was kept.
  const refused = (some) => refusalResponses(some, rejections, 'RejectedAnswer');
  return {
    '/hooks/wake': {
      post: {
        operationId: 'wake',
        tags: ['hooks'],
        summary: 'Wakes the default agent: a system event for its main session',
        security: SECURITY,
        parameters: [KEY],
        requestBody: json(await payloadSchema(declared, 'WakePayload')),
        responses: { 200: answered('WakeAnswer'), ...refused(builtIn) },
      },
    },
    '/hooks/agent': {
      post: {
        operationId: 'runAgent',
        tags: ['hooks'],
        summary: 'Asks an agent',
        security: SECURITY,
        parameters: [KEY],
        requestBody: json(await payloadSchema(declared, 'AgentPayload')),
        responses: { 200: answered('RunAnswer'), ...refused(builtIn) },
      },
    },
    '/hooks/runs/{runId}': {
      get: {
        operationId: 'tellRun',
        tags: ['hooks'],
        summary: 'Tells what became of a run',
        description:
          'For the token of `hooks.tokens` that the run was made with; others get 404, and `hooks.token` the status alone.',
        security: SECURITY,
        parameters: [RUN_ID, ...(await queryParameters(declared, 'RunQuery'))],
        responses: {
          200: {
            description: 'As it stands now.',
            content: json(anyOf('RunOutcomeAnswer', 'RunStatusAnswer')).content,
          },
          ...refused([...OF_RUNS, ...OF_RUNS_TOO]),
        },
      },
      post: {
        operationId: 'callBack',
        tags: ['hooks'],
        summary: 'Tells what an agent that runs elsewhere has done',
        description:
          'For the token that the agent was started with, `hookrun_…`, which is good for this run alone; in `x-a2a-notification-token`, too.',
        security: [{ hookToken: [] }],
        parameters: [RUN_ID, KEY],
        requestBody: { content: { 'application/json': { schema: {} } } },
        responses: {
          200: answered('RunAnswer', 'LateAnswer'),
          ...refused([...codes, 'unknown_run', 'run_unavailable']),
        },
      },
    },
    '/hooks/{name}': {
      post: {
        operationId: 'sendToMapping',
        tags: ['hooks'],
        summary: 'Sends anything to the first mapping that takes it',
        description:
          'Any JSON; forms and texts where the mapping says so. Where it verifies a signature, that is the proof instead of a token.',
        security: [...SECURITY, {}],
        parameters: [NAME, KEY],
        requestBody: {
          content: {
            'application/json': { schema: {} },
            'application/x-www-form-urlencoded': { schema: { type: 'object' } },
            'text/plain': { schema: { type: 'string' } },
          },
        },
        responses: {
          200: answered(
            'WakeAnswer',
            'RunAnswer',
            'DeliveryAnswer',
            'HandledAnswer',
            'SkippedAnswer',
          ),
          204: {
            description: 'A transform had nothing to do.',
            headers: {
              ...REPEATED,
              'Event-Id': { description: 'Id of the event.', schema: { type: 'string' } },
            },
          },
          ...refused(codes),
        },
      },
    },
  };
}

function answered(...names) {
  return {
    description: 'Durable: the event is on disk.',
    headers: REPEATED,
    content: { 'application/json': { schema: anyOf(...names) } },
  };
}

function anyOf(...names) {
  const refs = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return refs.length === 1 ? refs[0] : { anyOf: refs };
}

function json(schema) {
  return { required: true, content: { 'application/json': { schema } } };
}

async function queryParameters(declared, name) {
  const validators = new ValidatorSchemas();
  const options = await optionsOf(declared, name);
  return options.map(({ key, doc, rules }) => ({
    name: key,
    in: 'query',
    description: doc,
    schema: validators.merged(rules),
  }));
}

/** Unknown fields are no error: they are named in `warnings`. Null and blank texts count as absent. */
async function payloadSchema(declared, name) {
  const validators = new ValidatorSchemas();
  const options = await optionsOf(declared, name);
  return {
    type: 'object',
    properties: Object.fromEntries(
      options.map(({ key, doc, rules }) => [
        key,
        { ...validators.merged(rules), description: doc },
      ]),
    ),
    required: options.filter(({ isRequired }) => isRequired).map(({ key }) => key),
  };
}
