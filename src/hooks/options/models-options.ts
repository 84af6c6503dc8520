import { IsIn, IsInstance, IsObject, IsString, IsUrl, ValidateNested } from 'class-validator';
import { AsMap } from './as-map.ts';
import { OptionalText } from './optional-text.ts';

/** One entry of `models.providers`; its key is the provider's name in `<provider>/<model>`. */
export class ProviderOptions {
  /** Which protocol the server speaks: `openai-compatible` (Ollama, vLLM, LM Studio, another gateway). */
  @IsIn(['openai-compatible'])
  type = 'openai-compatible' as const;

  /** For example `http://127.0.0.1:11434/v1`. */
  @IsUrl(
    { require_tld: false, protocols: ['http', 'https'], require_protocol: true },
    { message: 'must be a URL such as http://127.0.0.1:11434/v1' },
  )
  baseUrl!: string;

  /** Sent as a bearer token. Absent: none is sent. */
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
