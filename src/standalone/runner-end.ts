import type { OnApplicationShutdown } from '@nestjs/common';

/** Disposes the service's runner, and the programs it keeps, when no turn is under way any more. */
export class RunnerEnd implements OnApplicationShutdown {
  constructor(private readonly runner: AsyncDisposable) {}

  async onApplicationShutdown(): Promise<void> {
    await this.runner[Symbol.asyncDispose]();
  }
}
