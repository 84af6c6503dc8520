import { type Clock } from '../../hooks/ports/clock.ts';

/** Longest time the server gets to answer the question for its models. */
const PROBE_MS = 300;
/** How long the answer, or the lack of one, is believed. */
const REMEMBER_MS = 60_000;

/** Looks for a local Ollama; everyone who asks within a minute shares one look. */
export class OllamaProbe {
  private seen: { readonly at: number; readonly model: Promise<string | undefined> } | undefined;

  constructor(
    private readonly url: string,
    private readonly clock: Clock,
  ) {}

  /** The name of the first model it serves; undefined when none answers within 300 ms. Never fails. */
  firstModel(): Promise<string | undefined> {
    const now = this.clock.now();
    if (this.seen === undefined || now - this.seen.at >= REMEMBER_MS) {
      this.seen = { at: now, model: askForModels(`${this.url}/v1/models`) };
    }
    return this.seen.model;
  }
}

async function askForModels(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(PROBE_MS),
    });
    const answer: unknown = await response.json();
    return response.ok ? firstId(answer) : undefined;
  } catch {
    // Nothing there, something else there, or too slow: all mean that no Ollama serves us.
    return undefined;
  }
}

/** `{data: [{id}]}`; an Ollama without any model answers `{data: null}`. */
function firstId(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('data' in answer)) return undefined;
  if (!Array.isArray(answer.data)) return undefined;
  const first: unknown = answer.data[0];
  if (typeof first !== 'object' || first === null || !('id' in first)) return undefined;
  return typeof first.id === 'string' && first.id !== '' ? first.id : undefined;
}
