import type { MessagePort } from 'node:worker_threads';
import { CLOSE } from '../calls.ts';
import type { Batch, BatchAnswer, CallMap } from '../calls.ts';
import type { Lane } from '../../../hooks/ports/new-work.ts';
import { doBatch } from './batch.ts';
import type { Desk } from './batch.ts';

export interface Service<C extends CallMap<C>> extends Desk<C> {
  readonly rung?: Set<Lane>;
  /** Called after each answer, while no batch waits. */
  afterAnswer?(): void;
  close(): void;
}

const NOTHING_RUNG: readonly Lane[] = [];

/** Answers batches until it is asked to close; the thread ends by itself then. */
export function serve<C extends CallMap<C>>(port: MessagePort, service: Service<C>): void {
  port.on('message', (message: Batch<C> | typeof CLOSE) => {
    if (message === CLOSE) {
      service.close();
      port.close();
      return;
    }
    const { values, failures } = doBatch(service, message);
    const rung = service.rung?.size ? [...service.rung] : NOTHING_RUNG;
    service.rung?.clear();
    const answer: BatchAnswer = { values, failures, rung };
    port.postMessage(answer);
    service.afterAnswer?.();
  });
}
