import { CHANNEL_IDS, Channel } from '../../hooks/index.ts';
import type { ChannelBinding, ChannelBindings, OutgoingMessage } from '../../hooks/index.ts';

/** Hears of what would have been sent. */
export type Listener = (message: OutgoingMessage) => void;

/** A channel that makes messages as its platform is sent them, and sends none. */
class SilentChannel extends Channel {
  override readonly provider: string;
  override readonly knowsKeys: boolean;
  override readonly onlyAccepts: boolean;
  override readonly onlyAnswers: boolean;
  override readonly edits: boolean;
  readonly #real: Channel;
  readonly #heard: Listener;

  constructor(real: Channel, heard: Listener) {
    super();
    this.#real = real;
    this.#heard = heard;
    const { provider, knowsKeys, onlyAccepts, onlyAnswers, edits } = real;
    this.provider = provider;
    this.knowsKeys = knowsKeys;
    this.onlyAccepts = onlyAccepts;
    this.onlyAnswers = onlyAnswers;
    this.edits = edits;
  }

  override expectedInsteadOf(to: string): string | null {
    return this.#real.expectedInsteadOf(to);
  }

  override parts(markdown: string): readonly string[] {
    return this.#real.parts(markdown);
  }

  override isOwn(text: string): boolean {
    return this.#real.isOwn(text);
  }

  override shown(part: string): string {
    return this.#real.shown(part);
  }

  override send(message: OutgoingMessage): Promise<{ messageId: string }> {
    this.#heard(message);
    return Promise.resolve({ messageId: message.idempotencyKey });
  }
}

/** The channels of a configuration, with nobody behind them. Channels of one account stay one. */
export function silentChannels(bindings: ChannelBindings, heard: Listener): ChannelBindings {
  const made = new Map<Channel, Channel>();
  const silent = ({ provider, ...binding }: ChannelBinding): ChannelBinding => {
    const known = made.get(provider) ?? new SilentChannel(provider, heard);
    made.set(provider, known);
    return { ...binding, provider: known };
  };
  const { default: chosen, retryHours } = bindings;
  return {
    ...Object.fromEntries(
      CHANNEL_IDS.flatMap((id) => {
        const binding = bindings[id];
        return binding === undefined ? [] : [[id, silent(binding)]];
      }),
    ),
    ...(chosen !== undefined && { default: chosen }),
    ...(retryHours !== undefined && { retryHours }),
  };
}
