import type { Agent, CapabilityContract, Destination, Trust } from '../ports/index.ts';

/** What a turn of this agent may do: shown foreign text, it has no tool but those the operator listed for that. */
export function contractFor(
  { level, verifiedBy, mapping }: Trust,
  { tools }: Agent,
  mayDeliverTo: Destination | null,
): CapabilityContract {
  const allowedTools = level === 'trusted' ? 'all' : (tools?.untrusted ?? []);
  return { trust: level, verifiedBy, mapping, allowedTools, mayDeliverTo };
}
