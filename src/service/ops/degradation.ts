/**
 * A part of the service that does not work while the rest does; of `hooks`: senders are losing what they send; of
 * `ledger`: its file is damaged, and what is stored may be lost; of `agents`: a model, gateway or program is away, and its
 * runs wait.
 */
export interface Degradation {
  readonly part: 'mail' | 'hooks' | 'ledger' | 'agents';
  readonly state: string;
}
