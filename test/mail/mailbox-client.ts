import { ImapFlow } from 'imapflow';
import { PASSWORD } from './dovecot.ts';

export async function asOwner<T>(
  account: string,
  port: number,
  act: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  const client = new ImapFlow({
    host: '127.0.0.1',
    port,
    secure: false,
    auth: { user: account, pass: PASSWORD },
    logger: false,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    return await act(client);
  } finally {
    client.close();
  }
}
