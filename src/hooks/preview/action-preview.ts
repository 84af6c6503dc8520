import { Injectable } from '@nestjs/common';
import type { HookAction, HookEvent } from '../accept/hook-action.ts';
import { newAction } from '../accept/new-action.ts';
import type { Change, RunOrder, SystemEventChange } from '../ports/index.ts';
import { promptOf } from '../work/run-prompt.ts';
import { SessionTurns, showSystemEvents } from '../work/session-turns.ts';
import type { PreviewedAction } from './preview.ts';

/** Stands where the event's id will be. */
const NO_EVENT = 'preview';

/** Shows an action by the same code that stores it and that will one day run it. */
@Injectable()
export class ActionPreview {
  constructor(private readonly sessions: SessionTurns) {}

  async of(action: HookAction, event: HookEvent): Promise<PreviewedAction> {
    const { story, changes } = newAction(action, event, NO_EVENT, undefined);
    const { dedupeKey } = action;
    return { ...story, kind: action.kind, dedupeKey, prompt: await this.#prompt(changes) };
  }

  async #prompt(changes: readonly Change[]): Promise<string> {
    for (const change of changes) {
      if (change.type === 'system-event') return waitingLine(change);
      if (change.type === 'work' && 'sessionMode' in change.work.order) {
        return this.#runPrompt(change.work.order);
      }
    }
    return '';
  }

  async #runPrompt(order: RunOrder): Promise<string> {
    const isPersistent = order.sessionMode === 'persistent';
    return promptOf(order, isPersistent ? await this.sessions.read(order.session) : null);
  }
}

/** As the next turn of the main session shows it, when nothing else waits. */
function waitingLine({ text, at, trust, hook }: SystemEventChange): string {
  return showSystemEvents([{ seq: 0, text, at, trust, hook }]);
}
