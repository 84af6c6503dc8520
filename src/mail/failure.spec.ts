import { HttpError } from '../platform/http-client.ts';
import { OptionalPackageError } from '../platform/optional-package.ts';
import { OAuthError } from '../platform/oauth-tokens.ts';
import { HttpAnswer } from '../platform/http-client.ts';
import { describeFailure } from './failure.ts';
import { ReaderPackageError } from './reader/mail-reader.ts';

function tokenError(status: number): OAuthError {
  const head = { status, headers: new Headers() };
  return new OAuthError(new HttpAnswer(head, Buffer.alloc(0)), 'refresh token');
}

describe('describeFailure', () => {
  it.each([
    [{ authenticationFailed: true, serverResponseCode: 'AUTHENTICATIONFAILED' }, 'credentials'],
    [{ authenticationFailed: true }, 'credentials'],
    [{ authenticationFailed: true, serverResponseCode: 'UNAVAILABLE' }, 'connection'],
    [{ serverResponseCode: 'NONEXISTENT' }, 'no-mailbox'],
    [{ code: 'ECONNREFUSED' }, 'connection'],
    [tokenError(400), 'credentials'],
    [tokenError(503), 'connection'],
    [new HttpError('timed-out', 'id.example did not answer in time'), 'connection'],
    [new OptionalPackageError('imapflow', 'is not installed'), 'not-installed'],
    [new ReaderPackageError('the package mailparser is not installed'), 'not-installed'],
    [undefined, 'connection'],
  ])('%j: %s', (error, kind) => {
    expect(describeFailure(error).kind).toBe(kind);
  });

  it('repeats no sentence of the server', () => {
    const error = { authenticationFailed: true, serverResponseCode: 'pass word <secret>' };
    expect(describeFailure(error).reason).toBe('the login is refused');
  });

  it('says what the package lacks', () => {
    const error = new OptionalPackageError('imapflow', 'is not installed');
    expect(describeFailure(error).reason).toBe('the package imapflow is not installed');
  });

  it('says of the token endpoint no more than that it does not answer', () => {
    const error = new HttpError('unreachable', 'id.example could not be reached', 'ECONNREFUSED');
    expect(describeFailure(error).reason).toBe('the token endpoint does not answer');
  });
});
