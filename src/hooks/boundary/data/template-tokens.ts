interface TemplateFamily {
  readonly family: string;
  /** The public template or tokenizer configuration they were taken from. */
  readonly source: string;
  /** As published; case and look-alikes are folded before matching. `_0>` at the end stands for every number there. */
  readonly tokens: readonly string[];
}

/**
 * Chat-template tokens of common model families. Whatever else has the shape `<|name|>` is treated as one, too.
 * Left out because ordinary text is full of them: `[ARGS]` and `[IMG]` (usage lines, BBCode; without the token before
 * them they mean nothing), `<unk>`, `<pad>`, `<mask>` (no structure), `User:` and `### Response:` (plain words).
 */
export const TEMPLATE_FAMILIES: readonly TemplateFamily[] = [
  {
    family: 'ChatML: Qwen, Hermes, Yi, SmolLM, InternLM',
    source: 'llama.cpp src/llama-chat.cpp "chatml"; Qwen/Qwen3 tokenizer_config.json',
    tokens: listed(`
      <|im_start|> <|im_end|> <|im_sep|> <|endoftext|> <end_of_utterance> <|fim_prefix|>
      <|fim_middle|> <|fim_suffix|> <|fim_pad|> <|plugin|> <|interpreter|> <|action_start|>
      <|action_end|> <|vision_start|> <|vision_end|> <|image_pad|> <|audio_pad|> <think>
      </think> <tool_call> </tool_call> <tool_response> </tool_response>
    `),
  },
  {
    family: 'Llama 2 and its followers',
    source: 'huggingface.co/blog/llama2#how-to-prompt-llama-2; llama.cpp "llama2"',
    tokens: listed('[INST] [/INST] <<SYS>> <</SYS>> <s> </s>'),
  },
  {
    family: 'Llama 3',
    source: 'llama.com model cards and prompt formats; llama.cpp "llama3"',
    tokens: listed(`
      <|begin_of_text|> <|end_of_text|> <|start_header_id|> <|end_header_id|> <|eot_id|> <|eom_id|>
      <|python_tag|> <|finetune_right_pad_id|> <|reserved_special_token_0|>
    `),
  },
  {
    family: 'Llama 4',
    source: 'unsloth/Llama-4-Scout-17B-16E-Instruct; llama.cpp "llama4"',
    tokens: listed(`
      <|header_start|> <|header_end|> <|eot|> <|eom|> <|step|> <|python_start|> <|python_end|>
      <|image_start|> <|image_end|>
    `),
  },
  {
    family: 'Mistral',
    source: 'mistralai/cookbook concept-deep-dive/tokenization; Mistral-Small-3.1 template',
    tokens: listed(`
      [INST] [/INST] [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS]
      [TOOL_CALLS] [TOOL_RESULTS] [/TOOL_RESULTS] [CALL_ID] [TOOL_CONTENT] [THINK] [/THINK]
      </s>
    `),
  },
  {
    family: 'Gemma 1 to 3',
    source: 'google/gemma-3-27b-it; llama.cpp "gemma"',
    tokens: listed('<start_of_turn> <end_of_turn> <start_of_image> <bos> <eos>'),
  },
  {
    family: 'Gemma 4',
    source: 'llama.cpp models/templates/gemma4.jinja',
    tokens: listed(`
      <|turn> <turn|> <|channel> <channel|> <|tool>
      <tool|> <|tool_call> <tool_call|> <|tool_response> <tool_response|> <|think|> <|"|>
    `),
  },
  {
    family: 'Phi 3 and 4, Zephyr, Falcon 3',
    source: 'llama.cpp "phi3", "phi4", "zephyr", "falcon3"; Phi-4-mini-instruct template',
    tokens: listed(`
      <|system|> <|user|> <|assistant|> <|end|> <|tool|> <|/tool|> <|tool_call|>
      <|/tool_call|> <|tool_response|> <|endofprompt|>
    `),
  },
  {
    family: 'DeepSeek, Hunyuan, Step (full-width bars)',
    source: 'deepseek-ai/DeepSeek-V3.1 template in llama.cpp; llama.cpp "hunyuan-dense"',
    tokens: listed(`
      <｜begin▁of▁sentence｜> <｜end▁of▁sentence｜> <｜User｜> <｜Assistant｜> <｜System｜>
      <｜tool▁calls▁begin｜> <｜tool▁call▁begin｜> <｜tool▁sep｜> <｜tool▁call▁end｜>
      <｜tool▁calls▁end｜> <｜tool▁outputs▁begin｜> <|EOT|> <｜fim▁begin｜> <｜hy_User｜>
      <｜hy_Assistant｜> <｜DSML｜
    `),
  },
  {
    family: 'Harmony (gpt-oss)',
    source: 'cookbook.openai.com/articles/openai-harmony; openai/harmony docs/format.md',
    tokens: listed(`
      <|start|> <|end|> <|message|> <|channel|> <|constrain|> <|call|> <|return|>
      <|startoftext|>
    `),
  },
  {
    family: 'Command R and A (Cohere)',
    source: 'CohereForAI/c4ai-command-r7b-12-2024 template in llama.cpp',
    tokens: listed(`
      <|START_OF_TURN_TOKEN|> <|END_OF_TURN_TOKEN|> <|SYSTEM_TOKEN|> <|USER_TOKEN|>
      <|CHATBOT_TOKEN|> <|START_THINKING|> <|END_THINKING|> <|START_ACTION|> <|END_ACTION|>
      <|START_TOOL_RESULT|> <|END_TOOL_RESULT|> <|START_RESPONSE|> <|END_RESPONSE|>
    `),
  },
  {
    family: 'Granite (IBM), Megrez',
    source: 'ibm-granite/granite-4.0-h-small; llama.cpp "granite", "megrez"',
    tokens: listed(`
      <|start_of_role|> <|end_of_role|> <|end_of_text|> <|tool_call|> <|start_of_plugin|>
      <|end_of_plugin|> <|role_start|> <|role_end|> <|turn_end|> <think_on> <think_off>
    `),
  },
  {
    family: 'GLM',
    source: 'zai-org/GLM-4.6 template in llama.cpp; llama.cpp "chatglm4"',
    tokens: listed(`
      [gMASK] <sop> <eop> <|system|> <|user|> <|assistant|> <|observation|> <|begin_of_image|>
      <arg_key> </arg_key> <arg_value> </arg_value>
    `),
  },
  {
    family: 'Kimi',
    source: 'moonshotai-Kimi-K2.jinja, Kimi-K3.jinja in llama.cpp',
    tokens: listed(`
      <|im_system|> <|im_user|> <|im_assistant|> <|im_middle|> <|im_end|>
      <|tool_calls_section_begin|> <|tool_call_begin|> <|tool_call_argument_begin|>
      <|tool_call_end|> <|tool_calls_section_end|> <|open|> <|close|> <|sep|> <|end_of_msg|>
      <|media_begin|> [start_header_id] [end_header_id] [BOS] [EOS] ◁think▷ ◁/think▷
    `),
  },
  {
    family: 'ERNIE (Baidu)',
    source: 'modelscope/ms-swift swift/llm/template/template/baidu.py; ERNIE-4.5-21B-A3B',
    tokens: listed('<|begin_of_sentence|> <|end_of_sentence|> <|IMAGE_PLACEHOLDER|> </s>'),
  },
  {
    family: 'MiniMax',
    source: 'unsloth-MiniMax-M2.jinja in llama.cpp; MiniMaxAI/MiniMax-M3',
    tokens: listed(`
      ]~!b[ ]~b] [e~[
      <minimax:tool_call> </minimax:tool_call> <mm:think> </mm:think> ]<]minimax[>[
    `),
  },
  {
    family: 'Nemotron (NVIDIA)',
    source: 'llama.cpp models/templates/NVIDIA-Nemotron-Nano-v2.jinja; nvidia/Nemotron-4-340B-Instruct',
    tokens: listed(`
      <SPECIAL_0> <extra_id_0> <AVAILABLE_TOOLS> </AVAILABLE_TOOLS> <TOOLCALL> </TOOLCALL>
      <TOOL_RESPONSE> </TOOL_RESPONSE>
    `),
  },
  {
    family: 'Baichuan 2',
    source: 'vllm examples/template_baichuan.jinja',
    tokens: listed('<reserved_0>'),
  },
  {
    family: 'TeleChat',
    source: 'Tele-AI/TeleChat2 tokenizer_config.json',
    tokens: listed('<_start> <_end> <_system> <_user> <_bot>'),
  },
  {
    family: 'FunctionGemma',
    source: 'google/functiongemma-270m-it; google-ai-edge/LiteRT-LM prompt template',
    tokens: listed(`
      <start_function_declaration> <end_function_declaration> <start_function_call>
      <end_function_call> <start_function_response> <end_function_response>
    `),
  },
  {
    family: 'Seed-OSS, Seed-Coder (ByteDance)',
    source: 'ByteDance-Seed-OSS.jinja in llama.cpp; Seed-Coder-8B-Instruct tokenizer_config.json',
    tokens: listed(`
      <seed:bos> <seed:eos> <seed:think> </seed:think> <seed:tool_call> </seed:tool_call>
      <[begin▁of▁sentence]> <[end▁of▁sentence]> <[SEP▁TOKEN]>
    `),
  },
  {
    family: 'EXAONE (LG)',
    source: 'LGAI-EXAONE/EXAONE-4.0.1-32B; llama.cpp "exaone4"',
    tokens: listed('[|system|] [|user|] [|assistant|] [|tool|] [|endofturn|]'),
  },
  {
    family: 'Ling, dots, GigaChat, LongCat, OpenChat',
    source: 'llama.cpp "bailing", "dots1", "gigachat", "openchat"; meituan-longcat/LongCat-Flash',
    tokens: listed(`
      <role>HUMAN</role> <role>ASSISTANT</role> <role>SYSTEM</role> <|userprompt|>
      <|endofuserprompt|> <|response|> <|endofresponse|> <|role_sep|> <|message_sep|>
      <|end_of_turn|> <longcat_think> </longcat_think> <longcat_tool_call>
      <longcat_observation>
    `),
  },
  {
    family: 'Claude, Orion (text completions)',
    source: 'Anthropic text completions API prompt format; llama.cpp "orion"',
    tokens: [
      '\n\nHuman:',
      '\n\nAssistant:',
      ...listed(`
        <function_calls> </function_calls> <antml:function_calls>
        <function_results> </function_results> <invoke> </invoke>
      `),
    ],
  },
];

/** Ordinary writing, exactly so, that folds to a token: the type parameter in `List<S>`, `List<ToolCall>`. */
export const ORDINARY_WRITING: ReadonlySet<string> = new Set(
  listed('<S> <ToolCall> <_Start> <_End> <_System> <_User> <_Bot> <Invoke>'),
);

function listed(tokens: string): readonly string[] {
  return tokens.trim().split(/\s+/);
}
