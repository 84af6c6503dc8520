export type {
  Handshake,
  RequestHead,
  SignatureFault,
  SignatureScheme,
  SignedRequest,
  VerifiedSignature,
} from './scheme.ts';
export { schemes } from './rows/index.ts';
export { compileVerifier } from './verifier.ts';
export type { SignatureVerifier, VerifierContext, VerifierOptions } from './verifier.ts';
