import { isRecord } from '../../platform/objects.ts';
import { signalsOf } from '../boundary/index.ts';
import type { EventDetails } from '../ports/index.ts';

type ShownAction = EventDetails['actions'][number];

export function withSignals(event: EventDetails): EventDetails {
  return { ...event, actions: event.actions.map(withSignalsOf) };
}

/** `signals` are counted when somebody looks; stored are those of texts cut short, and those of an earlier build. */
export function withSignalsOf(action: ShownAction): ShownAction {
  const { trust, signals, text, message = text, name, source } = action;
  const isForeign = isRecord(trust) && trust['level'] === 'untrusted';
  if (!isForeign || signals !== undefined || typeof message !== 'string') return action;
  const found = signalsOf([message, name, source].filter((it) => typeof it === 'string'));
  return Object.keys(found).length === 0 ? action : { ...action, signals: found };
}
