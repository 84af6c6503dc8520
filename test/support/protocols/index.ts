import { anthropic } from './anthropic.ts';
import { google } from './google.ts';
import { openaiCompatible } from './openai-compatible.ts';
import { openai } from './openai.ts';

export { STEP_USAGE } from './protocol.ts';
export type { ModelProtocol } from './protocol.ts';
export { anthropic, google, openai, openaiCompatible };

export const PROTOCOLS = [openaiCompatible, openai, anthropic, google].map(
  (protocol) => [protocol.type, protocol] as const,
);
