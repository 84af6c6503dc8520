// What is drawn anew each time, taken out of texts that are compared: nothing would ever be equal.

const MARKER_IDS = /(<<<(?:END_)?EXTERNAL_UNTRUSTED_CONTENT id=")[0-9a-f]{32}(?=">>>)/g;

/** A prompt without the ids of its markers. */
export function withoutMarkerIds(prompt: string): string {
  return prompt.replaceAll(MARKER_IDS, '$1');
}

const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** A text without the ids of ours that were made since. @param since epoch milliseconds, by the machine's clock */
export function withoutNewIds(text: string, since: number): string {
  return text.replaceAll(IDS, (id) => (timeOf(id) >= since ? 'new' : id));
}

function timeOf(id: string): number {
  return parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
