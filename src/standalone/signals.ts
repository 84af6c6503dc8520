import type { INestApplication } from '@nestjs/common';
import type { ServiceLogger } from './service-logger.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** What a shell reports for a process that a signal ended. */
const EXIT_CODES = { SIGTERM: 143, SIGINT: 130 };

/** The first signal stops the service in good order, a second one at once. */
export function endOnSignals(app: INestApplication, logger: ServiceLogger): void {
  app.enableShutdownHooks([...SIGNALS], { useProcessExit: true });
  let signalled = false;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (signalled) process.exit(EXIT_CODES[signal]);
      signalled = true;
      logger.log(`${signal}: finishing what runs; a second signal ends at once.`, 'Service');
    });
  }
}
