import { type Answer, type RecordedRequest, ScriptedServer } from './scripted-server.ts';

export const MODEL_REPLY = 'Hello from the test model.';

/** `POST /v1/chat/completions`, streamed where the request says `stream: true`, and `GET /v1/models`. */
export class OpenAiServer extends ScriptedServer {
  /** The text of the next answers, or what makes it of a request's body; it is streamed word by word. */
  reply: string | ((body: unknown) => string) = MODEL_REPLY;
  /** The models it serves; null: what Ollama says when it has none. */
  models: readonly string[] | null = ['test-model'];

  /** Tokens of its models' window, at 4 characters each: what is longer is refused. Undefined: nothing is. */
  window: number | undefined;
  /** What its list says of each model beside its name, such as vLLM's `max_model_len`. */
  listed: object = {};

  readonly overloaded = new Set<string>();

  /** `POST /api/show` of each model, as Ollama has it since 0.6.4 (docs/api.md); absent: there is no such route. */
  capabilities: Readonly<Record<string, readonly string[]>> | undefined;

  constructor() {
    super((request) => this.usual(request));
  }

  get baseUrl(): string {
    return `${this.origin}/v1`;
  }

  private usual(request: RecordedRequest): Answer {
    const route = `${request.method} ${request.path}`;
    if (route === 'GET /v1/models') return json(modelList(this.models, this.listed));
    if (route === 'POST /api/show' && this.capabilities !== undefined) {
      const named = this.capabilities[String(field(request.body, 'model'))];
      if (named === undefined) return json({ error: 'model not found' }, 404);
      return json({ details: { family: 'llama' }, capabilities: named });
    }
    if (route !== 'POST /v1/chat/completions') {
      return json(openAiError('unknown route', 'not_found'), 404);
    }
    const model = String(field(request.body, 'model'));
    if (this.overloaded.has(model)) return json(openAiError('overloaded', 'overloaded'), 503);
    const tokens = Math.ceil(JSON.stringify(field(request.body, 'messages')).length / 4);
    if (this.window !== undefined && tokens > this.window)
      return json(tooLong(tokens, this.window), 400);
    const reply = typeof this.reply === 'string' ? this.reply : this.reply(request.body);
    return field(request.body, 'stream') === true
      ? streamed(model, reply)
      : json(completion(model, reply));
  }
}

export async function startOpenAiServer(): Promise<OpenAiServer> {
  const server = new OpenAiServer();
  await server.listen();
  return server;
}

export function openAiError(
  message: string,
  code: string | number,
  type = 'invalid_request_error',
) {
  return { error: { message, type, param: null, code } };
}

/** What OpenAI answers a request that is longer than the model's window (crewAIInc/crewAI-examples#121). */
function tooLong(tokens: number, window: number) {
  const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
  const error = { message, type: 'invalid_request_error', param: 'messages' };
  return { error: { ...error, code: 'context_length_exceeded' } };
}

export function event(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

export function chunk(model: string, delta: object, finish: string | null = null) {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices };
}

function streamed(model: string, reply: string): Answer {
  const words = reply.match(/\S+\s*|\s+/g) ?? [];
  const deltas = [{ role: 'assistant', content: '' }, ...words.map((content) => ({ content }))];
  const chunks = [
    ...deltas.map((delta) => event(chunk(model, delta))),
    event(chunk(model, {}, 'stop')),
    event('[DONE]'),
  ];
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, chunks };
}

export function completion(model: string, content: string) {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, choices, usage };
}

function modelList(models: readonly string[] | null, more: object) {
  const data = models?.map((id) => {
    return { id, object: 'model', created: 1, owned_by: 'library', ...more };
  });
  return { object: 'list', data: data ?? null };
}

function json(body: unknown, status = 200): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify(body)],
  };
}

function field(body: unknown, key: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, key) : undefined;
}
