import { ACCOUNTS, Dovecot } from './dovecot.ts';
import { Lmtp } from './lmtp.ts';

export class MailSuite {
  #dovecot: Dovecot | undefined;
  #lmtp: Lmtp | undefined;
  #accounts = 0;

  static inThisFile(options: Parameters<typeof Dovecot.start>[0] = {}): MailSuite {
    const suite = new MailSuite();
    beforeAll(async () => {
      suite.#dovecot = await Dovecot.start(options);
      suite.#lmtp = await Lmtp.connect(suite.dovecot.ports.lmtp);
    });
    afterAll(async () => {
      suite.#lmtp?.[Symbol.dispose]();
      await suite.#dovecot?.[Symbol.asyncDispose]();
    });
    return suite;
  }

  get dovecot(): Dovecot {
    if (this.#dovecot === undefined) throw new Error('Dovecot was not started');
    return this.#dovecot;
  }

  get imap(): number {
    return this.dovecot.ports.imap;
  }

  get lmtp(): Lmtp {
    if (this.#lmtp === undefined) throw new Error('LMTP was not connected');
    return this.#lmtp;
  }

  account(): string {
    const account = ACCOUNTS[this.#accounts];
    if (account === undefined) throw new Error('no account is left');
    this.#accounts += 1;
    return account;
  }
}
