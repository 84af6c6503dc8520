import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

/** A server that takes messages and hands each one on once. @param secret `whsec_…` */
export function createReceiver(secret: string, show: (message: unknown) => void) {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  // In a real one, a table of a database that is written in one transaction with the message.
  const seen = new Set<string>();
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const header = (name: string) => String(request.headers[`webhook-${name}`] ?? '');
      const [id, at, signatures] = [header('id'), header('timestamp'), header('signature')];
      const expected = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest();
      const isSigned = signatures.split(' ').some((signature) => {
        const given = Buffer.from(signature.replace('v1,', ''), 'base64');
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
      const isFresh = Math.abs(Date.now() / 1000 - Number(at)) < 300;
      if (isSigned && isFresh && !seen.has(id)) show(JSON.parse(body));
      if (isSigned && isFresh) seen.add(id);
      response.writeHead(isSigned && isFresh ? 204 : 401).end();
    });
  });
}
