import type { ModelProvider } from '../../src/adapters/agents/index.ts';
import type { ModelProtocol } from './protocols/index.ts';
import { ScriptedServer } from './scripted-server.ts';

export const REPLY = 'Hello from the test model.';

export class ProtocolServer extends ScriptedServer {
  private readonly answers: (readonly string[])[] = [];
  lists: Readonly<Record<string, unknown>> = {};

  private constructor(readonly protocol: ModelProtocol) {
    super(({ path }) => {
      const list = this.lists[path];
      if (list !== undefined) {
        const json = { 'content-type': 'application/json' };
        return { status: 200, headers: json, chunks: [JSON.stringify(list)] };
      }
      const headers = { 'content-type': 'text/event-stream' };
      if (path !== protocol.route) return { status: 404, headers, chunks: ['unknown route'] };
      return { status: 200, headers, chunks: this.answers.shift() ?? protocol.text(REPLY) };
    });
  }

  static async start(protocol: ModelProtocol): Promise<ProtocolServer> {
    const server = new ProtocolServer(protocol);
    await server.listen();
    return server;
  }

  provider(apiKey: string): ModelProvider {
    const { type, basePath } = this.protocol;
    return { type, baseUrl: `${this.origin}${basePath}`, apiKey };
  }

  answer(...streams: readonly (readonly string[])[]): void {
    this.answers.push(...streams);
  }
}
