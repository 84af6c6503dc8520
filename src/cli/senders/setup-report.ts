import { listSamples } from '../../hooks/index.ts';
import type { Preset } from '../../hooks/index.ts';
import {
  DOTENV_FILE,
  canSign,
  proofKind,
  schemeOf,
  senderName,
  setupSteps,
} from '../../service/index.ts';
import type { GivenToken, Inspection } from '../../service/index.ts';
import { asLine } from '../foreign-text.ts';
import type { Terminal } from '../terminal.ts';
import { isLocal } from './setup-address.ts';

// stdout: what a person enters at the sender; stderr: what was done here and what comes next.

/** What a person copies from a step as it stands: a line break in it would be copied, too. */
const COPIED = /\{[^}]*\}|Bearer \S+/gu;

export interface Shown {
  /** Of the service, as the sender reaches it. */
  readonly base: string;
  /** What a person enters at the sender; undefined where the sender has made it. */
  readonly secret: string | undefined;
  /** Undefined: it has none, or one that is kept nowhere. */
  readonly token: string | undefined;
}

export interface Counted {
  readonly before: number;
  readonly now: number;
}

const IS_PROOF = /\{(?:secret|secretUrl|token)\}/;

export class SetupReport {
  constructor(
    private readonly terminal: Terminal,
    private readonly preset: Preset,
    private readonly here: Inspection,
    private readonly path: string,
  ) {}

  /** @param isRotation the webhook is there already: only what is new is to be entered. */
  showSteps(shown: Shown, isRotation = false): void {
    const { terminal, preset } = this;
    const lines = preset.setup.filter((line) => IS_PROOF.test(line));
    const isShort = isRotation && lines.length > 0;
    const place = `At ${senderName(preset)}${isShort ? ', in the webhook that is there' : ''}`;
    terminal.print(terminal.style('bold', place));
    for (const [index, step] of this.#fill(isShort ? lines : preset.setup, shown).entries()) {
      const first = `${String(index + 1).padStart(3)}. `;
      const kept = asLine(step).replaceAll(COPIED, (text) => text.replaceAll(' ', '\u00A0'));
      terminal.printWrapped(kept, { first, rest: ' '.repeat(first.length) });
    }
  }

  /** @param variable holds the secret in the environment of this command, and not in .env. */
  tellFiles(news: readonly string[], variable?: string): void {
    const { terminal } = this;
    if (news.length === 0) return terminal.note('nothing to write: everything is there already');
    const effect =
      variable === undefined
        ? 'a running service reloads it within a second'
        : `a running service reloads it once it has ${variable}, too: this shell has it, and ${DOTENV_FILE} does not. Write ${variable}=… into ${DOTENV_FILE} (mode 600), which needs no restart, or start the service with it`;
    terminal.note(`written: ${news.join(', ')}; ${effect}`);
    if (!this.here.isDemo) return;
    terminal.note('Demo mode ends at the next restart. Say who answers then: hooks setup model');
  }

  tellSecrets({ before, now }: Counted, own: GivenToken | undefined): void {
    const { terminal } = this;
    const { id } = this.preset;
    if (own !== undefined && own.token === undefined) {
      terminal.note(
        `It has a token already, of which only the digest is kept; for another one beside it: hooks setup ${id} --rotate`,
      );
    }
    if (now < before) {
      return terminal.note(
        `Only its newest secret counts from now on; ${before - now === 1 ? 'the older one' : `${before - now} older ones`} ended.`,
      );
    }
    if (now <= 1 && (own?.count ?? 0) <= 1) return;
    const end =
      own === undefined ? `hooks setup ${id} --retire-old` : `hooks token retire ${id} --old`;
    terminal.note(
      `It has ${own === undefined ? `${now} secrets` : `${own.count} tokens`} now, and each of them counts; enter the newest in the webhook that is there already, and once it is used: ${end}`,
    );
  }

  tellNext(base: string): void {
    if (isLocal(base)) {
      this.terminal.note(
        `${base} is this machine: for a sender elsewhere, say where it reaches it with --url https://…`,
      );
    }
    const [next] = this.#tests();
    if (next !== undefined) this.terminal.note(`Then try it: ${next}`);
  }

  toJson(shown: Shown, news: readonly string[]): object {
    return {
      preset: this.preset.id,
      steps: this.#fill(this.preset.setup, shown),
      secret: shown.secret ?? null,
      token: shown.token ?? null,
      written: news,
      tests: this.#tests(),
    };
  }

  #fill(lines: readonly string[], { base, secret, token }: Shown): readonly string[] {
    return setupSteps(lines, { url: this.hookUrl(base), secret, token });
  }

  hookUrl(base: string): string {
    return `${base}${this.here.resolved?.effective.hooks.path ?? ''}/${this.path}`;
  }

  #tests(): string[] {
    const { preset, here } = this;
    const settings = here.resolved?.effective;
    const scheme = proofKind(preset) === 'token' ? undefined : schemeOf(preset, settings);
    const verb = scheme === undefined || canSign(scheme) ? 'send' : 'preview';
    return listSamples(preset.id, settings?.configDir).map(
      (sample) => `hooks ${verb} ${preset.id} ${sample}`,
    );
  }
}
