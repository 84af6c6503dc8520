import type { TestedService } from '../faults/tested-service.ts';
import { HOOK_TOKEN } from '../faults/tested-service.ts';
import { World } from '../faults/world.ts';
import { PASSWORD } from '../mail/dovecot.ts';
import { letter } from '../mail/lmtp.ts';
import { MailSuite } from '../mail/suite.ts';
import { atLast, eventually } from '../support/eventually.ts';
import { PostgresSuite } from './suite.ts';

describe('The mail of two services on one database', () => {
  const postgres = PostgresSuite.inThisFile();
  const mail = MailSuite.inThisFile();

  const stateOf = async (service: TestedService) =>
    ((await service.read('/ops/api/mail')) as { mail: { state: string } }).mail.state;

  it('is read by one, and by the other from where it was when the one has ended', async () => {
    const account = mail.account();
    await using database = await postgres.server.database();
    const server = { account, host: '127.0.0.1', port: mail.imap, secure: false };
    await using world = await World.open({
      store: { postgres: { url: database.url } },
      hooks: {
        enabled: true,
        token: HOOK_TOKEN,
        presets: ['mail'],
        allowedSessionKeyPrefixes: ['faults:', 'hook:'],
        mail: { ...server, auth: { password: PASSWORD } },
      },
    });
    const runsOf = (subject: string) => world.runs.filter((text) => text.includes(subject)).length;
    const deliver = (subject: string) => mail.lmtp.deliver(account, letter(account, { subject }));

    await using one = await world.start();
    await eventually('it watches', async () => (await stateOf(one)) === 'watching');
    await using other = await world.start();
    await eventually('it stands by', async () => (await stateOf(other)) === 'watched-elsewhere');
    await deliver('First invoice');
    await eventually('it is run', () => runsOf('First invoice') === 1);

    await one.stop();
    await deliver('Second invoice');
    await atLast('the other watches', async () => (await stateOf(other)) === 'watching');
    await deliver('Third invoice');
    await eventually('all are run', () => runsOf('Second') === 1 && runsOf('Third') === 1);
    await world.drain(other);
    expect(['First', 'Second', 'Third'].map((which) => runsOf(`${which} invoice`))).toEqual([
      1, 1, 1,
    ]);
    await other.stop();
  });
});
