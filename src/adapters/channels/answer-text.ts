/** Longest answer that is read, in bytes once unpacked. Platforms say what they have to say in far less. */
const MAX_BYTES = 1_000_000;

/** The body of an answer; `''` when it broke off or is longer than {@link MAX_BYTES}, of which no more is read. */
export async function answerText({ body }: Response): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > MAX_BYTES) return '';
      chunks.push(chunk);
    }
  } catch {
    return '';
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
