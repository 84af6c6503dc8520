import { Option } from 'nest-commander';
import { HooksCommand } from '../hooks-command.ts';
import { wholeNumber } from './setup-flags.ts';

/** The options of `hooks mail setup`; each answers one of its questions. */
export abstract class MailSetupOptions extends HooksCommand {
  @Option({ flags: '--account <address>', description: 'address of the mailbox' })
  parseAccount(value: string): string {
    return value;
  }

  @Option({
    flags: '--host <name>',
    description: 'IMAP server; found by the address when left out',
  })
  parseHost(value: string): string {
    return value;
  }

  @Option({ flags: '--port <number>', description: 'its port; 993, with --starttls 143' })
  parsePort(value: string): number {
    return wholeNumber('port', value);
  }

  @Option({ flags: '--starttls', description: 'STARTTLS in place of TLS from the first byte' })
  parseStarttls(): boolean {
    return true;
  }

  @Option({ flags: '--user <name>', description: 'login name, when it is not the address' })
  parseUser(value: string): string {
    return value;
  }

  @Option({ flags: '--password-env <name>', description: 'variable that holds the password' })
  parsePasswordEnv(value: string): string {
    return value;
  }

  @Option({ flags: '--password-stdin', description: 'read the password from stdin' })
  parsePasswordStdin(): boolean {
    return true;
  }

  @Option({ flags: '--oauth2', description: 'log in with access tokens' })
  parseOauth2(): boolean {
    return true;
  }

  @Option({ flags: '--client-id <id>', description: 'OAuth2: id of your app' })
  parseClientId(value: string): string {
    return value;
  }

  @Option({ flags: '--client-secret-env <name>', description: 'OAuth2: variable with its secret' })
  parseClientSecretEnv(value: string): string {
    return value;
  }

  @Option({
    flags: '--refresh-token-env <name>',
    description: 'OAuth2: variable with the refresh token',
  })
  parseRefreshTokenEnv(value: string): string {
    return value;
  }

  @Option({ flags: '--token-url <url>', description: 'OAuth2: token endpoint' })
  parseTokenUrl(value: string): string {
    return value;
  }

  @Option({ flags: '--scope <scope>', description: 'OAuth2: scope to ask for' })
  parseScope(value: string): string {
    return value;
  }

  @Option({ flags: '--mailbox <name...>', description: 'mailboxes to watch; INBOX' })
  parseMailbox(value: string, before: readonly string[] = []): readonly string[] {
    return [...before, value];
  }

  @Option({ flags: '--no-body', description: 'send sender, subject and snippet only' })
  parseBody(): boolean {
    return false;
  }

  @Option({ flags: '--max-bytes <number>', description: 'most bytes to fetch of one message' })
  parseMaxBytes(value: string): number {
    return wholeNumber('max-bytes', value);
  }

  @Option({ flags: '--model <model>', description: 'model for mail' })
  parseModel(value: string): string {
    return value;
  }

  @Option({ flags: '--thinking <level>', description: 'thinking level for mail' })
  parseThinking(value: string): string {
    return value;
  }

  @Option({ flags: '--no-check', description: 'write without trying the login' })
  parseCheck(): boolean {
    return false;
  }

  @Option({ flags: '--dry-run', description: 'try and show, write nothing' })
  parseDryRun(): boolean {
    return true;
  }

  @Option({ flags: '-y, --yes', description: 'do not ask before writing' })
  parseYes(): boolean {
    return true;
  }
}
