import type { EventStatus } from '../../hooks/index.ts';

type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** Puts a colour on a text, or leaves it as it is where nobody sees colours. */
export type Paint = (colour: Colour, text: string) => string;

export const PLAIN: Paint = (_colour, text) => text;

const COLOURS: Readonly<Record<EventStatus, Colour>> = {
  accepted: 'yellow',
  running: 'yellow',
  done: 'green',
  skipped: 'dim',
  failed: 'red',
};

/** The status of an event in its colour. @param width at least that many columns */
export function paintedStatus(status: EventStatus, paint: Paint, width = 0): string {
  return paint(COLOURS[status], status.padEnd(width));
}
