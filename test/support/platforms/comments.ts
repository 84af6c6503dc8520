import { say } from './platform.ts';
import type { Shown } from './platform.ts';

const MARKER = /\n\n<!-- nestjs-agent-hooks [\w-]{22} -->$/;

/** A comment as people see it: nobody is shown comments of HTML. A body without ours is none of ours. */
export function shownComment(to: string, body: unknown): Shown | undefined {
  const text = say(body, 'body');
  if (!MARKER.test(text)) return undefined;
  return { to, text: text.replace(MARKER, '') };
}
