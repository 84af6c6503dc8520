import type { AgentTurn } from '../../hooks/ports/agent-runner.ts';
import type { GatewaySettings } from '../../hooks/ports/runner-settings.ts';

const PLACEHOLDER = /\{(agent|session|contract)\}/g;

/** True: the gateway is told which session a turn belongs to. */
export function isSessionNamed({ headers }: GatewaySettings): boolean {
  return Object.values(headers).some((value) => value.includes('{session}'));
}

/** The headers of one turn: printable ASCII on one line each, whatever the session is called. */
export function filledHeaders(
  headers: GatewaySettings['headers'],
  { agent, contract }: AgentTurn,
  session: string,
): Record<string, string> {
  const values: Record<string, string> = {
    agent: percentEncoded(agent.id),
    session: percentEncoded(session),
    contract: asciiJson(contract),
  };
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value.replace(PLACEHOLDER, (_, placeholder: string) => values[placeholder] ?? ''),
    ]),
  );
}

/** Characters that no header can carry, line breaks above all, as `%0A`. */
function percentEncoded(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]+/gu, encodeURIComponent);
}

/** JSON in which letters beyond ASCII are written `\u00e9`. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
