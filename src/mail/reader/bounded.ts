/** Cuts a text at `most` UTF-16 units without leaving half a character behind. */
export function bounded(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? most - 1 : most);
}

/** One line: control characters and runs of blanks become one blank. */
export function oneLine(text: string, most: number): string {
  // Cut before the blanks are looked for: a header can be long.
  return bounded(
    bounded(text, most * 4)
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim(),
    most,
  );
}
