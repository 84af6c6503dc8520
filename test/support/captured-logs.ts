import { Logger } from '@nestjs/common';
import type { LoggerService } from '@nestjs/common';

export class CapturedLogs implements LoggerService, Disposable {
  readonly lines: string[] = [];

  constructor() {
    Logger.overrideLogger(this);
  }

  log(message: unknown): void {
    this.#add('log', message);
  }

  warn(message: unknown): void {
    this.#add('warn', message);
  }

  error(message: unknown): void {
    this.#add('error', message);
  }

  find(text: string): string | undefined {
    return this.lines.find((line) => line.includes(text));
  }

  [Symbol.dispose](): void {
    Logger.overrideLogger(true);
  }

  #add(level: string, message: unknown): void {
    this.lines.push(`${level} ${typeof message === 'string' ? message : JSON.stringify(message)}`);
  }
}
