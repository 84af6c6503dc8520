import { createHmac } from 'node:crypto';

/** Signatures as the senders make them, without the code under test. */

export const hmac = (
  algorithm: 'sha1' | 'sha256',
  secret: string,
  text: string | Buffer,
  encoding: 'hex' | 'base64' = 'hex',
): string => createHmac(algorithm, secret).update(text).digest(encoding);

/** GitHub: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
export function byGithub(secret: string, body: string | Buffer): Record<string, string> {
  return { 'x-hub-signature-256': `sha256=${hmac('sha256', secret, body)}` };
}

/** Slack: https://docs.slack.dev/authentication/verifying-requests-from-slack; `at` in epoch milliseconds. */
export function bySlack(secret: string, body: string, at: number): Record<string, string> {
  const seconds = Math.floor(at / 1000);
  const signature = hmac('sha256', secret, `v0:${seconds}:${body}`);
  return { 'x-slack-request-timestamp': String(seconds), 'x-slack-signature': `v0=${signature}` };
}
