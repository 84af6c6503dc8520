const AT_START = /^HEARTBEAT_OK\b/;
const AT_END = /\bHEARTBEAT_OK$/;

/** A reply that only says "seen": HEARTBEAT_OK at its start or end, and at most `maxOtherChars` other characters. */
export function isAcknowledgement(reply: string, maxOtherChars: number): boolean {
  const text = reply.trim();
  const token = [AT_START, AT_END].find((place) => place.test(text));
  return token !== undefined && text.replace(token, '').trim().length <= maxOtherChars;
}
