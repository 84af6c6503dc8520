/** How something stands, as a colour beside its word. */
type Tone = 'good' | 'bad' | 'busy' | 'calm';

const TONES: Readonly<Record<string, Tone>> = {
  done: 'good',
  succeeded: 'good',
  delivered: 'good',
  watching: 'good',
  'takes it': 'good',
  accepted: 'busy',
  running: 'busy',
  delivering: 'busy',
  queued: 'busy',
  waiting: 'busy',
  pending: 'busy',
  requested: 'busy',
  connecting: 'busy',
  approved: 'good',
  failing: 'bad',
  failed: 'bad',
  dead: 'bad',
  unknown: 'bad',
  denied: 'bad',
  expired: 'bad',
  interrupted: 'bad',
  'timed-out': 'bad',
  refused: 'bad',
  disconnected: 'bad',
  'hook-unavailable': 'bad',
  'credentials-expired': 'bad',
  misconfigured: 'bad',
};

/** A state of an event, run, delivery, channel …; colour never says anything that the word does not. */
export function Badge({ state }: { state: string }) {
  return <span class={`badge ${TONES[state] ?? 'calm'}`}>{state}</span>;
}
