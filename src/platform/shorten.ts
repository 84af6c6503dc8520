/** The beginning of a text that has more than `most` characters (UTF-16 units), and in words how many were left out. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half of a surrogate pair is no character.
  const shown = text.slice(0, most).replace(/[\ud800-\udbff]$/u, '');
  return `${shown}… (${text.length - shown.length} more characters)`;
}
