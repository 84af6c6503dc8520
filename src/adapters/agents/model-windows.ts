import type { Clock } from '../../hooks/ports/clock.ts';
import { sendHttp } from '../../platform/http-client.ts';
import type { NamedProvider } from './model-provider.ts';
import { protocolOf, publicUrl } from './model-providers.ts';

/** How long a provider's word is believed, and how long its silence: an Ollama knows a window once the model is loaded. */
const KNOWN_MS = 3_600_000;
const UNKNOWN_MS = 60_000;
/** Models that are known at a time: where no list says which are allowed, a request may name any. */
const MOST_KNOWN = 100;
const TIMEOUT_MS = 2000;
/** OpenRouter's list has about 1 MB. */
const MAX_BYTES = 8_000_000;
const LEAST_TOKENS = 1024;

interface Found {
  readonly at: number;
  readonly tokens: number | undefined;
}

export class ModelWindows {
  readonly #found = new Map<string, Found>();

  constructor(private readonly clock: Clock) {}

  /** Tokens of the model's window; undefined where no list says. Never fails. @throws the signal's reason when it aborts */
  async find(
    provider: NamedProvider,
    modelId: string,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { type, baseUrl = publicUrl(type) } = provider;
    const key = `${baseUrl} ${modelId}`;
    const known = this.#found.get(key);
    const now = this.clock.now();
    const maxAge = known?.tokens === undefined ? UNKNOWN_MS : KNOWN_MS;
    if (known !== undefined && now >= known.at && now - known.at < maxAge) return known.tokens;
    const tokens = await this.#ask({ ...provider, baseUrl }, modelId, signal);
    if (this.#found.size >= MOST_KNOWN) this.#found.clear();
    this.#found.set(key, { at: now, tokens });
    return tokens;
  }

  async #ask(
    { type, baseUrl, apiKey }: NamedProvider,
    modelId: string,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { windows } = protocolOf(type);
    for (const { path, tokens } of windows?.lists ?? []) {
      const url = URL.parse(path(modelId), `${baseUrl}/`);
      if (url === null) return undefined;
      const headers = apiKey === undefined ? {} : windows?.headers(apiKey);
      const asked = { headers, signal, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
      const answer = await sendHttp(url, asked).catch(() => undefined);
      signal.throwIfAborted();
      // It answers nothing else either.
      if (answer === undefined) return undefined;
      const found = answer.status === 200 ? tokens(answer.json, modelId) : undefined;
      if (Number.isSafeInteger(found) && Number(found) >= LEAST_TOKENS) return Number(found);
    }
    return undefined;
  }
}
