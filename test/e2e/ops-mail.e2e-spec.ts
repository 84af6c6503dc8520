import type { MailStatus } from '../../src/service/ops/index.ts';
import { OperatedService } from '../support/operated-service.ts';

const MAILBOX = {
  mailbox: 'INBOX',
  state: 'watching',
  since: '2026-11-21T10:00:00.000Z',
  connectedSince: '2026-11-21T10:00:00.000Z',
  lastMessageAt: null,
  lastError: null,
  delivered: 7,
  refused: 0,
  waiting: 2,
  lagSeconds: 1.5,
};
const FINE: MailStatus = {
  account: 'me@example.org',
  state: 'watching',
  isDegraded: false,
  hint: null,
  mailboxes: [MAILBOX],
};
const EXPIRED: MailStatus = {
  ...FINE,
  state: 'credentials-expired',
  isDegraded: true,
  hint: 'Renew hooks.mail.auth.',
  mailboxes: [{ ...MAILBOX, state: 'credentials-expired' }],
};

describe('GET /ops/api/mail', () => {
  it('needs the operator', async () => {
    await using service = await OperatedService.start({ mail: () => FINE });
    expect((await service.get('/ops/api/mail', { token: null })).status).toBe(401);
  });

  it('shows how the mailboxes fare', async () => {
    await using service = await OperatedService.start({ mail: () => FINE });
    expect((await service.get('/ops/api/mail')).body).toEqual({ mail: FINE });
  });

  it('is null without a mailbox', async () => {
    await using service = await OperatedService.start();
    expect((await service.get('/ops/api/mail')).body).toEqual({ mail: null });
    expect((await service.get('/ops/metrics')).text).not.toContain('hooks_mail');
  });
});

describe('mail that does not get through', () => {
  it('leaves the service ready and says what does not work, without the account', async () => {
    await using service = await OperatedService.start({ mail: () => EXPIRED });
    const answer = await service.get('/health/ready', { token: null, from: '192.0.2.7' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ok: true,
      status: 'ready',
      paused: false,
      degraded: [{ part: 'mail', state: 'credentials-expired' }],
    });
  });

  it('shows in the metrics', async () => {
    let status = FINE;
    await using service = await OperatedService.start({ mail: () => status });
    const { text } = await service.get('/ops/metrics');
    expect(text).toContain('hooks_mail_up{mailbox="INBOX"} 1');
    expect(text).toContain('hooks_mail_waiting{mailbox="INBOX"} 2');
    expect(text).toContain('hooks_mail_lag_seconds{mailbox="INBOX"} 1.5');
    status = EXPIRED;
    expect((await service.get('/ops/metrics')).text).toContain('hooks_mail_up{mailbox="INBOX"} 0');
  });
});
