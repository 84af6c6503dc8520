import {
  IsIn,
  IsInstance,
  IsObject,
  IsOptional,
  IsString,
  IsUrl,
  ValidateNested,
} from 'class-validator';
import { AsMap } from './as-map.ts';
import { OptionalText } from './optional-text.ts';

/** Every protocol that can be configured. */
export const PROVIDER_TYPES = ['openai', 'anthropic', 'google', 'openai-compatible'] as const;

/** One entry of `models.providers`; its key is the provider's name in `<provider>/<model>`. */
export class ProviderOptions {
  /** Which protocol the server speaks: `openai`, `anthropic`, `google` or `openai-compatible` (Ollama, vLLM, LM Studio, another gateway). */
  @IsIn(PROVIDER_TYPES)
  type: (typeof PROVIDER_TYPES)[number] = 'openai-compatible';

  /** With its version path, for example `http://127.0.0.1:11434/v1`. Absent: the provider's own address; `openai-compatible` has none. */
  @IsOptional()
  @IsUrl(
    { require_tld: false, protocols: ['http', 'https'], require_protocol: true },
    { message: 'must be a URL such as http://127.0.0.1:11434/v1' },
  )
  baseUrl?: string;

  /** Best as `${NAME}`. Absent: none is sent, which only `openai-compatible` servers may take. */
  @OptionalText()
  apiKey?: string;
}

/** The `models` section. */
export class ModelsOptions {
  /** Where models are asked, by provider name. Empty: models are not configured, and a `model` is passed on with a warning. */
  @IsInstance(Map, { message: 'must be an object' })
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @AsMap(ProviderOptions)
  providers: Map<string, ProviderOptions> = new Map();

  /** Short names for models: `{fast: "local/llama3"}`. */
  @IsInstance(Map, { message: 'must be an object' })
  @IsString({ each: true })
  @AsMap()
  aliases: Map<string, string> = new Map();
}
