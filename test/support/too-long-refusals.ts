import { anthropic, google, openai, openaiCompatible } from './protocols/index.ts';
import type { ModelProtocol } from './protocols/index.ts';
import { event } from './protocols/protocol.ts';
import type { Script } from './scripted-server.ts';

const SSE = { 'content-type': 'text/event-stream' };
const failed = (error: object) => ({
  type: 'response.failed',
  sequence_number: 3,
  response: { error },
});

export const TOO_LONG_REFUSALS: readonly (readonly [
  who: string,
  protocol: ModelProtocol,
  script: Script,
])[] = [
  [
    // crewAIInc/crewAI-examples#121
    'OpenAI, chat completions',
    openaiCompatible,
    {
      status: 400,
      body: {
        error: {
          message:
            "This model's maximum context length is 80000 tokens. However, your messages resulted in 82270 tokens. Please reduce the length of the messages.",
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      },
    },
  ],
  [
    // letta-ai/letta#1963
    'Groq',
    openaiCompatible,
    {
      status: 400,
      body: {
        error: {
          message: 'Please reduce the length of the messages or completion.',
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      },
    },
  ],
  [
    // cottongeeks/podscript#20
    'Groq, tokens a minute',
    openaiCompatible,
    {
      status: 413,
      body: {
        error: {
          message:
            'Request too large for model `llama-3.3-70b-versatile` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 80000, Requested 84038, please reduce your message size and try again. Visit https://console.groq.com/docs/rate-limits for more information.',
          type: 'tokens',
          code: 'rate_limit_exceeded',
        },
      },
    },
  ],
  [
    // DrShushen/climb#13
    'OpenAI, tokens a minute',
    openai,
    {
      status: 429,
      body: {
        error: {
          message:
            'Request too large for gpt-4o in organization org-VDAW on tokens per min (TPM): Limit 80000, Requested 80601. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.',
          type: 'tokens',
          param: null,
          code: 'rate_limit_exceeded',
        },
      },
    },
  ],
  [
    // the-open-agent/openagent#2344
    'OpenAI, Responses',
    openai,
    {
      status: 400,
      body: {
        error: {
          message:
            'Your input exceeds the context window of this model. Please adjust your input and try again.',
          type: 'invalid_request_error',
          param: 'input',
          code: 'context_length_exceeded',
        },
      },
    },
  ],
  [
    // the same in the stream: BerriAI/litellm#29223; the event as in OpenAI's API reference, `response.failed`
    'OpenAI, Responses, in the stream',
    openai,
    {
      headers: SSE,
      body: event(
        failed({
          code: 'context_length_exceeded',
          message:
            'Your input exceeds the context window of this model. Please adjust your input and try again.',
        }),
      ),
    },
  ],
  [
    // anthropics/claude-code#12186
    'Anthropic',
    anthropic,
    {
      status: 400,
      body: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'prompt is too long: 82310 tokens > 80000 maximum',
        },
        request_id: 'req_011',
      },
    },
  ],
  [
    // docker/docker-agent#569
    'Anthropic, with the answer',
    anthropic,
    {
      status: 400,
      body: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message:
            'input length and `max_tokens` exceed context limit: 78959 + 4000 > 80000, decrease input length or `max_tokens` and try again',
        },
        request_id: 'req_012',
      },
    },
  ],
  [
    // platform.claude.com/docs/en/api/errors
    'Anthropic, 32 MB',
    anthropic,
    {
      status: 413,
      body: {
        type: 'error',
        error: {
          type: 'request_too_large',
          message: 'Request exceeds the maximum allowed number of bytes.',
        },
      },
    },
  ],
  [
    // google-gemini/gemini-cli#4692
    'Google',
    google,
    {
      status: 400,
      body: {
        error: {
          code: 400,
          message:
            'The input token count (82475) exceeds the maximum number of tokens allowed (80000).',
          status: 'INVALID_ARGUMENT',
        },
      },
    },
  ],
  [
    // vllm-project/vllm vllm/renderers/params.py @017638d
    'vLLM',
    openaiCompatible,
    {
      status: 400,
      body: {
        error: {
          message:
            "You passed 81000 input tokens and requested 0 output tokens. However, the model's context length is only 80000 tokens, resulting in a maximum input length of 80000 tokens. Please reduce the length of the input prompt.",
          type: 'BadRequestError',
          param: 'input_tokens',
          code: 400,
        },
      },
    },
  ],
  [
    // vllm-project/vllm#36197
    'vLLM, with the answer',
    openaiCompatible,
    {
      status: 400,
      body: {
        error: {
          message:
            "This model's maximum context length is 80000 tokens. However, you requested 8192 output tokens and your prompt contains at least 71809 input tokens, for a total of at least 80001 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
          type: 'BadRequestError',
          param: 'input_tokens',
          code: 400,
        },
      },
    },
  ],
  [
    // Aider-AI/aider#3721
    'OpenRouter, which would also take things out of the middle (its middle-out)',
    openaiCompatible,
    {
      status: 400,
      body: {
        error: {
          message:
            'This endpoint\'s maximum context length is 80000 tokens. However, you requested about 81607 tokens (10535 of text input, 71072 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
          code: 400,
          metadata: { provider_name: 'Chutes' },
        },
      },
    },
  ],
  [
    // cline/cline#13194
    'OpenRouter, in the words of the provider behind it',
    openaiCompatible,
    {
      status: 400,
      body: {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: {
            raw: '{"error":{"message":"This model\'s maximum context length is 80000 tokens. However, your messages resulted in 82897 tokens. Please reduce the length of the messages.","type":"Bad Request","code":400}}',
            provider_name: 'Nvidia',
          },
        },
      },
    },
  ],
  [
    // oobabooga/textgen#7257; the message of today: ollama/ollama llm/llama_server_test.go @fb30760
    'llama.cpp',
    openaiCompatible,
    {
      status: 400,
      body: {
        error: {
          code: 400,
          message:
            'request (84429 tokens) exceeds the available context size (80000 tokens), try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 84_429,
          n_ctx: 80_000,
        },
      },
    },
  ],
  [
    // ollama/ollama llm/llama_server.go @fb30760, in the form of openai/openai.go (`NewError`); where a model cannot shift
    'Ollama',
    openaiCompatible,
    {
      status: 400,
      body: {
        error: {
          message:
            'the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length',
          type: 'invalid_request_error',
          param: null,
          code: null,
        },
      },
    },
  ],
  [
    // aaif-goose/goose#11318
    'LM Studio, with 200',
    openaiCompatible,
    {
      headers: SSE,
      body: `event: error\n${event({
        error: {
          message:
            'Input does not fit in context length. The input has 81430 tokens, but the context length only supports 80000 tokens.',
        },
        message:
          'Input does not fit in context length. The input has 81430 tokens, but the context length only supports 80000 tokens.',
      })}`,
    },
  ],
  [
    // lmstudio-ai/lmstudio-bug-tracker#546
    'LM Studio, older',
    openaiCompatible,
    {
      status: 400,
      body: {
        error:
          'Trying to keep the first 81490 tokens when context the overflows. However, the model is loaded with context length of only 80000 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input.',
      },
    },
  ],
];
