import type { Proof, SignatureScheme } from '../../src/hooks/senders/index.ts';

/** Headers that nobody without the secret can change: what else a sender says in its head is anybody's word. */
export function coveredHeaders({ proofs, timestamp }: SignatureScheme): readonly string[] {
  const covered = proofs.map((proof) => headersOf(proof, timestamp));
  return (covered[0] ?? []).filter((name) => covered.every((names) => names.includes(name)));
}

function headersOf(proof: Proof, timestamp: SignatureScheme['timestamp']): readonly string[] {
  if (!('signed' in proof) || typeof proof.signed !== 'string') return [];
  const isTimed = proof.signed.includes('{timestamp}') && timestamp !== undefined;
  const time = isTimed && 'header' in timestamp.at ? [timestamp.at.header] : [];
  const id = proof.signed.includes('{id}') && proof.idHeader !== undefined ? [proof.idHeader] : [];
  return [...id, ...time];
}
