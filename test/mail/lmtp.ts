import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';

export interface Letter {
  readonly from?: string;
  readonly subject?: string;
  readonly text?: string;
  readonly headers?: readonly string[];
}

export function letter(to: string, { from, subject, text, headers }: Letter = {}): string {
  return [
    `From: ${from ?? 'Ada <ada@sender.example>'}`,
    `To: ${to}`,
    `Subject: ${subject ?? 'Hello'}`,
    'Date: Sat, 21 Nov 2026 10:00:00 +0000',
    ...(headers ?? []),
    '',
    text ?? 'Good news.',
    '',
  ].join('\r\n');
}

/** One LMTP connection (RFC 2033): mail that is accepted lies in the mailbox. */
export class Lmtp implements Disposable {
  #unread = '';

  private constructor(private readonly socket: Socket) {}

  static async connect(port: number): Promise<Lmtp> {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    const lmtp = new Lmtp(socket);
    await lmtp.#answered('220');
    await lmtp.#say('LHLO test', '250');
    return lmtp;
  }

  async deliver(to: string, mail: string): Promise<void> {
    await this.#say('MAIL FROM:<sender@sender.example>', '250');
    await this.#say(`RCPT TO:<${to}>`, '250');
    await this.#say('DATA', '354');
    await this.#say(`${mail.replace(/^\./gmu, '..')}\r\n.`, '250');
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  async #say(line: string, expected: string): Promise<void> {
    this.socket.write(`${line}\r\n`);
    await this.#answered(expected);
  }

  async #answered(expected: string): Promise<void> {
    for (;;) {
      const end = /^(\d{3}) [^\n]*\n/mu.exec(this.#unread);
      if (end !== null) {
        this.#unread = this.#unread.slice(end.index + end[0].length);
        if (end[1] === expected) return;
        throw new Error(`LMTP answered ${end[0]}`);
      }
      const [chunk]: [string] = (await once(this.socket, 'data')) as [string];
      this.#unread += chunk;
    }
  }
}
