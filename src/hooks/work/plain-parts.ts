import type { Channel } from '../ports/index.ts';
import { plainLinks } from './plain-links.ts';

/** What a platform's own form may take away, so that what stood around it comes together. */
const MARKUP = /[*_~`\\]/g;

/**
 * The messages of a reply, without links. One that only comes together when the platform's form takes markup away
 * (`ev**i**l.com`) costs the whole reply its markup.
 */
export function plainParts(channel: Channel, markdown: string): readonly string[] {
  const plain = plainLinks(markdown);
  const parts = channel.parts(plain);
  if (parts.every((part) => plainLinks(part) === part)) return parts;
  return channel.parts(plainLinks(plain.replace(MARKUP, '')));
}
