import { IsNumber, Max, Min } from 'class-validator';
import { WholeNumber } from './key-kinds.ts';
import type { AgentsOptions } from './agents-options.ts';
import type { HooksOptions } from './hooks-options.ts';
import type { ModelsOptions } from './models-options.ts';

/** How long what became of events is kept; in gateway.json5 a part of the `store` section. */
export class RetentionOptions {
  /**
   * Days for which payloads, prompts, replies, inputs and results of tools, and transcripts of isolated sessions are
   * kept, 0 to 3,650. 0: until the event has ended; replay then answers 410. @default 7
   */
  @IsNumber()
  @Min(0)
  @Max(3650)
  payloadDays = 7;

  /**
   * Days for which ended events and turns of conversations are kept, 1 to 3,650; a session without turns, waiting lines
   * and a route is removed as well. @default 30
   */
  @WholeNumber(1, 3650)
  eventDays = 30;
}

/** Options as a person writes them: every key optional, or undefined as from an environment, maps as objects. */
export type Given<T> = T extends string | number | boolean | undefined
  ? T
  : T extends Map<string, infer V>
    ? Readonly<Record<string, Given<V>>>
    : T extends readonly (infer I)[]
      ? readonly Given<I>[]
      : { readonly [K in keyof T]?: Given<T[K]> | undefined };

/** What `HooksModule` takes besides its wiring: the keys of the `hooks` section and its neighbours. */
export interface HooksSettingsInput extends Given<HooksOptions> {
  /** Who runs what hooks ask for. Default: one agent named `main`. */
  readonly agents?: Given<AgentsOptions> | undefined;
  /** Where models are asked, and short names for them. Default: none. */
  readonly models?: Given<ModelsOptions> | undefined;
  /** How long what became of events is kept. Default: payloads 7 days, events 30. */
  readonly retention?: Given<RetentionOptions> | undefined;
  /** The gateway's own token: the hook token must differ from it. */
  readonly gatewayAuthToken?: string | undefined;
  /** Further secrets of the gateway. What a request brings of them is kept nowhere and shown to nobody. Default: none. */
  readonly otherSecrets?: readonly string[] | undefined;
  /** Addresses and CIDR ranges whose `X-Forwarded-For` is believed. Default: none. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Directory of the configuration, where `transforms/` is looked for. Default: the working directory. */
  readonly configDir?: string | undefined;
}

/** DI token of what the host gave to `forRoot` or `forRootAsync`, the settings alone. */
export const HOOKS_MODULE_OPTIONS = Symbol('HOOKS_MODULE_OPTIONS');

/** DI token of the `name` of the ingress; null: it has none. */
export const HOOKS_NAME = Symbol('HOOKS_NAME');

/** DI token of the `HandledHooks`; absent: the host's code handles none. */
export const HANDLED_HOOKS = Symbol('HANDLED_HOOKS');

/** DI token of the {@link OptionNames} in use. */
export const OPTION_NAMES = Symbol('OPTION_NAMES');
