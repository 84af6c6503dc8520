import type { SignatureScheme } from '../../../senders/index.ts';

/** What a row's signatures vouch for, read off the row itself: the engine and the table of docs/security.md ask here. */

const WHOLE_BODY = /\{(?:body|form)\}/;

/** Whether nobody without the secret can change a byte of the body: all proofs of the row have to cover it. */
export function coversBody({ proofs }: SignatureScheme): boolean {
  return proofs.every((proof) => {
    if (proof.kind === 'signature') return WHOLE_BODY.test(proof.signed);
    return proof.kind === 'jwt' && proof.bodyClaim !== undefined;
  });
}

/** Whether what is signed is the body and nothing else, byte for byte, so that one digest says both. */
export function signsBodyAlone({ proofs }: SignatureScheme): boolean {
  return proofs.every(
    (proof) =>
      proof.kind === 'signature' &&
      proof.signed === '{body}' &&
      proof.bodyDigestParameter === undefined,
  );
}

export function isIdSigned(scheme: SignatureScheme): boolean {
  const { deliveryId, proofs } = scheme;
  if (deliveryId === undefined) return false;
  return proofs.every((proof) => {
    if (proof.kind === 'secret' || proof.kind === 'basic') return false;
    if ('headers' in deliveryId) {
      return 'idHeader' in proof && deliveryId.headers.every((name) => name === proof.idHeader);
    }
    if (proof.kind === 'jwt') return proof.bodyClaim !== undefined;
    const { signed } = proof;
    if (typeof signed !== 'string') {
      const lists = Object.values(signed);
      return deliveryId.fields.every((field) => lists.every((names) => names.includes(field)));
    }
    return (
      WHOLE_BODY.test(signed) ||
      deliveryId.fields.every((field) => signed.includes(`{field:${field}}`))
    );
  });
}
