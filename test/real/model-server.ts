import { completion } from '../support/openai-server.ts';
import { PROTOCOLS } from '../support/protocols/index.ts';
import { at } from '../support/protocols/protocol.ts';
import { type Answer, type RecordedRequest, ScriptedServer } from '../support/scripted-server.ts';

const QUESTION = /Question (\d+)/g;

/** What a request for text is posted to, and in whose protocol it is answered. */
const ROUTES: readonly [RegExp, string][] = [
  [/\/chat\/completions$/, 'openai-compatible'],
  [/\/responses$/, 'openai'],
  [/\/messages$/, 'anthropic'],
  [/:streamGenerateContent$/, 'google'],
];

/**
 * A model for any program: it speaks the protocol that it is spoken to in, and answers with the numbers of the questions
 * that it was asked, those of one message joined by `+`: `I heard 1, 2.` was a conversation, `I heard 1+2.` a transcript.
 */
export class ModelServer extends ScriptedServer implements AsyncDisposable {
  refusal: { readonly status: number; readonly message: string } | undefined;
  readonly calls: { readonly tool: string; readonly input: object }[] = [];
  #called = 0;

  private constructor() {
    super((request) => this.answer(request));
  }

  static async start(): Promise<ModelServer> {
    const server = new ModelServer();
    await server.listen();
    return server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  private answer({ method, path, body }: RecordedRequest): Answer {
    const [route = ''] = path.split('?');
    const type = ROUTES.find(([form]) => method === 'POST' && form.test(route))?.[1];
    const protocol = PROTOCOLS.find(([name]) => name === type)?.[1];
    if (protocol === undefined) return json(404, { error: { message: `unknown route ${route}` } });
    if (this.refusal !== undefined) {
      const { status, message } = this.refusal;
      return json(status, protocol.refusal(status, message));
    }
    const reply = `I heard ${questionsIn(body).join(', ')}.`;
    if (type === 'openai-compatible' && at(body, 'stream') !== true) {
      return json(200, completion('test-model', reply));
    }
    const call = this.calls.shift();
    // Claude Code takes two calls of one id for one.
    const id = `toolu_${(this.#called += 1)}`;
    const chunks =
      call === undefined
        ? protocol.text(reply)
        : protocol.toolCall(call.tool, call.input).map((text) => text.replace('toolu_1', id));
    return { status: 200, headers: { 'content-type': 'text/event-stream' }, chunks };
  }
}

function questionsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    const numbers = new Set([...value.matchAll(QUESTION)].map(([, number]) => number));
    return numbers.size === 0 ? [] : [[...numbers].join('+')];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((inner) => questionsIn(inner));
}

function json(status: number, body: unknown): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify(body)],
  };
}
