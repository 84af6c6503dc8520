import { Option } from 'nest-commander';
import { positiveNumber } from '../named-values.ts';
import { RequestCommand } from '../request-command.ts';

/** A command whose flags are the fields of the built-in hooks. */
export abstract class FlaggedCommand extends RequestCommand {
  @Option({ flags: '--text <text>', description: 'wake: what happened' })
  parseText(text: string): string {
    return text;
  }

  @Option({ flags: '--mode <mode>', description: 'wake: now (default) or next-heartbeat' })
  parseMode(mode: string): string {
    return mode;
  }

  @Option({ flags: '--message <text>', description: 'agent: what it is asked' })
  parseMessage(message: string): string {
    return message;
  }

  @Option({ flags: '--name <name>', description: 'agent: prefix of the summary' })
  parseName(name: string): string {
    return name;
  }

  @Option({ flags: '--agent <id>', description: 'agent: who runs it' })
  parseAgent(id: string): string {
    return id;
  }

  @Option({ flags: '--session <key>', description: 'agent: session key, if senders may name one' })
  parseSession(key: string): string {
    return key;
  }

  @Option({ flags: '--wake-mode <mode>', description: 'agent: now (default) or next-heartbeat' })
  parseWakeMode(mode: string): string {
    return mode;
  }

  @Option({ flags: '--deliver', description: 'agent: send the reply to a channel (default)' })
  parseDeliver(): boolean {
    return true;
  }

  @Option({ flags: '--no-deliver', description: 'agent: keep the reply' })
  parseNoDeliver(): boolean {
    return false;
  }

  @Option({ flags: '--channel <id>', description: 'agent: last (default) or chan_1 … chan_8' })
  parseChannel(id: string): string {
    return id;
  }

  @Option({
    flags: '--to <recipient>',
    description: "agent: recipient, in the platform's own form",
  })
  parseTo(recipient: string): string {
    return recipient;
  }

  @Option({ flags: '--model <model>', description: 'agent: <provider>/<model>, or an alias' })
  parseModel(model: string): string {
    return model;
  }

  @Option({ flags: '--thinking <level>', description: 'agent: off, minimal, low, … max, adaptive' })
  parseThinking(level: string): string {
    return level;
  }

  @Option({ flags: '--run-timeout <seconds>', description: 'agent: longest run' })
  parseRunTimeout(seconds: string): number {
    return positiveNumber('--run-timeout', seconds);
  }
}
