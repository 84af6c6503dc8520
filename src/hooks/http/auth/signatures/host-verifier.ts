import type { IncomingHttpHeaders } from 'node:http';
import { Logger } from '@nestjs/common';
import { errorMessage } from '../../../../platform/errors.ts';
import type { SignatureScheme } from '../../../senders/index.ts';
import type { SignatureFault, SignedRequest, VerifiedSignature } from './signed-request.ts';
import type { SignatureVerifier } from './verifier.ts';

export interface UnverifiedRequest {
  readonly method: string;
  /** The request-target, never decoded. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * A host's own check of a sender. True: the request is that sender's. Asked once the body is there; what it throws is
 * logged, and the sender is asked to try again.
 */
export type SenderVerifier = (request: UnverifiedRequest) => boolean | Promise<boolean>;

/** Asks the host. It says who sends, and nothing about copies: a request that comes twice is two events without a key. */
export class HostVerifier implements SignatureVerifier {
  readonly #logger = new Logger('Hooks');
  readonly scheme: SignatureScheme;

  constructor(
    id: string,
    private readonly isRight: SenderVerifier,
  ) {
    this.scheme = { id, name: id, proofs: [], canSendToken: false, confidence: 'secondary' };
  }

  /** What a head says is for the host to judge, together with the body. */
  checkHead(): null {
    return null;
  }

  async verify(request: SignedRequest): Promise<VerifiedSignature | SignatureFault> {
    const { id } = this.scheme;
    try {
      // Of JavaScript, anything may come back.
      const isRight: unknown = await this.isRight(request);
      return isRight === true ? { scheme: id, coversBody: false } : 'mismatch';
    } catch (error) {
      this.#logger.error(`the verifier ${id} broke: ${errorMessage(error)}`);
      return 'unavailable';
    }
  }
}
