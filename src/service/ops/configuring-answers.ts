import type { ChangedMapping, SavedMapping } from '../configuration/saved-mappings.ts';
import type { EnabledPreset } from '../senders/preset-keeper.ts';
import type { ProofKind } from '../senders/sender.ts';
import type { Done } from './answers.ts';

/** The mappings that were saved here. */
export interface Mappings {
  /** Why none can be saved, in a sentence; null: nothing is in the way. */
  readonly unwritable: string | null;
  readonly mappings: readonly SavedMapping[];
}

/** A mapping was saved, or removed. */
export interface MappingChange extends Done, Omit<ChangedMapping, 'before' | 'after'> {}

/** A preset was enabled, or was already. */
export interface PresetEnabled extends Done, EnabledPreset {}

/** The samples of one preset. */
export interface PresetSamples {
  readonly preset: string;
  /** What its sender is called on a screen. */
  readonly sender: string;
  /** Where its sender posts to, below the prefix. */
  readonly hook: string;
  /** Whether `hooks.presets` names it. */
  readonly isEnabled: boolean;
  /** What its sender proves itself by: a `token` of ours, its `own-secret` that is made here, or `their-secret`. */
  readonly proof: ProofKind;
  /** Whether the address that it sends to is part of what it signs. */
  readonly signsAddress: boolean;
  /** Names of its samples, in order: at least one. */
  readonly samples: readonly string[];
}

/** Every preset that has samples. */
export interface Samples {
  readonly presets: readonly PresetSamples[];
}

/** One sample as a request, without what would prove its sender. */
export interface SampleRequest {
  readonly preset: string;
  readonly name: string;
  /** Where the vendor publishes it, and what was left out of it if anything. */
  readonly source: string;
  /** Where its sender posts to, below the prefix. */
  readonly hook: string;
  /** Names in lower case, the content type among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** As it goes on the wire. */
  readonly body: string;
  readonly contentType: string;
}

/** One token that opens hooks, without anything it could be found by. */
export interface TokenReport {
  /** Where it stands: `hooks.token`, or `hooks.tokens[0].tokens[1]`. */
  readonly key: string;
  /** Its sender; null: `hooks.token`, which is nobody's in particular. */
  readonly id: string | null;
  /** What it opens; `*`: every hook. */
  readonly hooks: readonly string[];
  /** Null: no end. */
  readonly notAfter: string | null;
  readonly isEnded: boolean;
  /** Null: not since it is there. */
  readonly lastUsedAt: string | null;
  /** Why it should be replaced, to continue the key; null: it need not. */
  readonly warning: string | null;
  /** True: it was made by command or console, and can be ended by them; another stands in a file of the operator's. */
  readonly canRetire: boolean;
}

/** A token that was made, which is told here and nowhere else, and its sender. */
export interface NewToken {
  readonly token: string;
  readonly id: string;
  readonly hooks: readonly string[];
  /** Last day or moment as it was given; null: no end. */
  readonly notAfter: string | null;
  /** Where its digest is kept. */
  readonly file: string;
  /** How many tokens the sender has, this one included. */
  readonly count: number;
  /** Those of `hooks` that are no hooks yet. */
  readonly strange: readonly string[];
}

/** Tokens of a sender were ended. */
export interface RetiredTokens extends Done {
  /** How many. */
  readonly retired: number;
  /** How many it has now; 0: the sender is gone. */
  readonly left: number;
}

/** Every token in force. */
export interface Tokens {
  readonly tokens: readonly TokenReport[];
}
