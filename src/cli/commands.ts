import { CompletionCommand } from './completion/completion.command.ts';
import { ConfigCommand } from './config/config.command.ts';
import { DoctorCommand } from './doctor/doctor.command.ts';
import { EventsCommand } from './events/events.command.ts';
import { PreviewCommand } from './preview/preview.command.ts';
import { SendCommand } from './send/send.command.ts';
import { SessionsCommand } from './sessions/sessions.command.ts';
import { ImportCommand } from './import/import.command.ts';
import { MailCommand } from './mail/mail.command.ts';
import { StartCommand } from './start.command.ts';
import { TokenCommand } from './token/token.command.ts';

/** Every command, in the order of `hooks --help`; sub-commands come with theirs. */
export const COMMANDS = [
  StartCommand,
  ConfigCommand,
  DoctorCommand,
  SendCommand,
  PreviewCommand,
  EventsCommand,
  SessionsCommand,
  MailCommand,
  ImportCommand,
  TokenCommand,
  CompletionCommand,
];
