export type { SignatureScheme } from '../../../senders/index.ts';
export type {
  RequestHead,
  SignatureFault,
  SignedRequest,
  VerifiedSignature,
} from './signed-request.ts';
export { schemes } from '../../../senders/index.ts';
export { compileVerifier, customize } from './verifier.ts';
export type { SignatureVerifier, VerifierContext, VerifierOptions } from './verifier.ts';
export { coversBody, isIdSigned, signsBodyAlone } from './coverage.ts';
export { Certificates, fetchCertificate } from './certificates.ts';
export { HostVerifier } from './host-verifier.ts';
export type { SenderVerifier, UnverifiedRequest } from './host-verifier.ts';
export type { CertificateMemory, FetchCertificate } from './certificates.ts';
export type { SenderSecret, WrittenSecrets } from './sender-secrets.ts';
export { listSecrets } from './sender-secrets.ts';
export { signRequest } from './sign-request.ts';
export type { ReadyRequest, ToSign } from './sign-request.ts';
