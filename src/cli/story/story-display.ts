import { Injectable } from '@nestjs/common';
import { Clock } from '../../hooks/index.ts';
import type { EventStory } from '../../hooks/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { asLine } from '../foreign-text.ts';
import type { Interruption } from '../interruption.ts';
import { Progress } from '../progress.ts';
import type { Receipt } from '../service/receipt.ts';
import type { ServiceClient } from '../service/service-client.ts';
import { Terminal } from '../terminal.ts';
import type { Paint } from './paint.ts';
import { endedBadly, storyAtEnd } from './story-end.ts';
import { outcomeLines, replyLines, storyLines } from './story-lines.ts';

/** How long the end of an event is waited for, unless the command line says otherwise. */
export const DEFAULT_WAIT_SECONDS = 900;

/** What the command line says about waiting. */
export interface DisplayOptions {
  readonly json?: boolean;
  /** False: only what the sender is told. */
  readonly wait: boolean;
  /** Seconds. */
  readonly timeout?: number;
}

/** Shows stories, and waits for their end. The exit code says how it ended. */
@Injectable()
export class StoryDisplay {
  constructor(
    private readonly terminal: Terminal,
    private readonly clock: Clock,
  ) {}

  /** The whole story as it stands. */
  show(story: EventStory, json: boolean): void {
    if (json) this.terminal.printJson(story);
    else this.#print(storyLines(story, this.#paint));
  }

  /** What became of a request: what its sender is told, or its end. @param service made with the interruption's signal. */
  async follow(
    service: ServiceClient,
    receipt: Receipt,
    options: DisplayOptions,
    interruption: Interruption,
  ): Promise<void> {
    const { eventId, failure } = receipt;
    const { json = false, wait } = options;
    if (failure !== undefined) this.terminal.exitCode = EXIT.failed;
    if (!json) this.#tell(receipt);
    if (eventId !== null && wait) {
      // Whoever ends the wait, however rudely, knows what it was for.
      if (!json) this.terminal.note(`Accepted as event ${asLine(eventId)}`);
      await this.end(service, eventId, options, { interruption, told: receipt });
    } else if (json) this.terminal.printJson(receipt);
    else this.terminal.print(receiptLine(receipt));
  }

  /** The end of an event, once it is there. @param told what else belongs into the JSON. */
  async end(
    service: ServiceClient,
    id: string,
    options: DisplayOptions,
    { interruption, told }: { interruption: Interruption; told: object },
  ): Promise<void> {
    const { json = false } = options;
    const story = await this.#atEnd(service, id, options).catch((error: unknown) => {
      // A program that gave up waiting still learns which event it was.
      if (json) this.terminal.printJson({ ...told, story: null });
      if (!interruption.signal.aborted) throw error;
      const hint = `See how it stands: hooks events show ${id}`;
      throw new CliError('Interrupted; the event goes on.', hint, EXIT.interrupted);
    });
    if (endedBadly(story)) this.terminal.exitCode = EXIT.failed;
    if (json) this.terminal.printJson({ ...told, story });
    else this.#showEnd(story);
  }

  async #atEnd(service: ServiceClient, id: string, options: DisplayOptions): Promise<EventStory> {
    using progress = new Progress(this.terminal);
    return await storyAtEnd(service, id, {
      timeoutMs: (options.timeout ?? DEFAULT_WAIT_SECONDS) * 1000,
      clock: this.clock,
      onProgress: (text) => progress.show(text),
    });
  }

  #showEnd(story: EventStory): void {
    this.#print([...outcomeLines(story, this.#paint), ...replyLines(story, this.#paint)]);
    for (const line of whereWakesAreAnswered(story)) this.terminal.note(line);
  }

  #tell({ isRepeat, warnings, failure }: Receipt): void {
    if (isRepeat)
      this.terminal.note('The same key came before: this is that event, nothing new was done.');
    for (const warning of warnings) this.terminal.note(`warning: ${asLine(warning)}`);
    if (failure !== undefined) this.terminal.note(asLine(failure.error));
  }

  #print(lines: readonly string[]): void {
    for (const line of lines) this.terminal.print(line);
  }

  readonly #paint: Paint = (colour, text) => this.terminal.style(colour, text);
}

/** The id alone, for `$(hooks send … --no-wait)`. */
function receiptLine({ eventId, status }: Receipt): string {
  if (eventId === null) return `Nothing was to be done (${status}).`;
  return asLine(eventId);
}

/** A wake's story does not hold what the agent said to it: that is in the main session. */
function whereWakesAreAnswered({ actions }: EventStory): string[] {
  const agents = actions.filter(({ kind, mode }) => kind === 'wake' && mode === 'now');
  const ids = new Set(agents.map(({ agentId }) => String(agentId)));
  return [...ids].map((id) => `What the agent said: hooks sessions agent:${asLine(id)}:main`);
}
