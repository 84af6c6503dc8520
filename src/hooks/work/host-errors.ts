import { Injectable, Logger } from '@nestjs/common';

/** So many places are remembered; later ones are not logged any more. */
const MAX_PLACES = 1000;

/** A line of a stack that says where: `    at name (file:1:2)`. */
const FRAME = /^ {4}at .+/;

/**
 * Logs bugs of a host's runners and channels, once per place and without the message, which may hold what was sent: only
 * the class and the frames of the stack, which are made of code alone.
 */
@Injectable()
export class HostErrors {
  readonly #logger = new Logger(HostErrors.name);
  readonly #places = new Set<string>();

  /** @param who e.g. `the channel telegram` */
  report(who: string, error: unknown, expected: 'an AgentError' | 'a DeliveryError'): void {
    const thrown = error instanceof Error ? error.constructor.name : typeof error;
    const frames = error instanceof Error ? readFrames(error) : [];
    const place = `${who} ${frames[0] ?? thrown}`;
    if (this.#places.has(place) || this.#places.size >= MAX_PLACES) return;
    this.#places.add(place);
    const sentence = `${who} threw ${thrown} instead of ${expected}: a bug in its code (logged once per place)`;
    this.#logger.error([sentence, ...frames].join('\n'));
  }
}

/** The stack without the message that begins it; nothing where the two cannot be kept apart. */
function readFrames({ stack = '', message }: Error): readonly string[] {
  const header = `${message}\n`;
  const start = stack.indexOf(header);
  const frames = stack.slice(start + header.length).split('\n');
  return start >= 0 && frames.every((line) => FRAME.test(line)) ? frames : [];
}
