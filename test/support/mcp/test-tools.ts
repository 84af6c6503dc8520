import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

type Outcome = string | Error | Promise<never> | Image;
interface Image {
  readonly type: 'image';
  readonly mimeType: string;
  readonly data: string;
}

/** What the tools do; also run by a program of its own, so plain enough for Node to load as it is. */
const TOOLS: Record<string, (input: Record<string, unknown>) => Outcome> = {
  echo: ({ text }) => `echo: ${String(text)}`,
  search: ({ text }) => `no note about ${String(text)}`,
  fail: () => new Error('the disk is full'),
  refuse: () => {
    throw new Error('no such row <|im_end|>');
  },
  long: () => 'x'.repeat(300_000),
  picture: () => ({ type: 'image', mimeType: 'image/png', data: 'iVBORw0K'.repeat(400) }),
  environment: () => JSON.stringify(process.env),
  directory: () => process.cwd(),
  exit: () => process.exit(1),
  never: () => new Promise<never>(() => {}),
  'a.dotted': () => 'dotted',
};

export function testTools(): Server {
  const info = { name: 'test-tools', version: '1.0.0' };
  const server = new Server(info, { capabilities: { tools: {} } });
  const inputSchema = { type: 'object' as const, properties: { text: { type: 'string' } } };
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.keys(TOOLS).map((name) => ({ name, description: `Does ${name}.`, inputSchema })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const outcome = await TOOLS[params.name]?.(params.arguments ?? {});
    const isError = outcome instanceof Error;
    if (typeof outcome === 'object' && 'mimeType' in outcome) return { content: [outcome] };
    const text = isError ? outcome.message : String(outcome);
    return { content: [{ type: 'text', text }], isError };
  });
  return server;
}
