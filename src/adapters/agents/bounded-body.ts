/**
 * The response with a body that breaks off beyond that size (bytes, uncompressed), whatever its status: a server that
 * never stops must not fill our memory.
 * @param tooLarge makes what the reader of the body gets then; the connection is closed.
 */
export function atMost(response: Response, maxBytes: number, tooLarge: () => Error): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  let left = maxBytes;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.byteLength;
      if (left < 0) throw tooLarge();
      controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(counted), { status, statusText, headers });
}
