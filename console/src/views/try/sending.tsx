import { answer, api } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { parseHeaders, toPreview } from './request.ts';
import type { Draft } from './request.ts';

// In whose name a tried request is sent for real, and as which command it is copied.

type Hook = Api<'HookReport'>;

/** `sender`: as the sender of the hook would send it. */
export type SentAs = 'operator' | 'sender';

/** The way in that takes requests to this path; undefined: none does. */
export function hookOf(hooks: readonly Hook[], path: string): Hook | undefined {
  return hooks.find(({ name }) => name === bare(path)) ?? hooks.find(({ name }) => name === null);
}

/** A path as hooks are named: without outer slashes. */
export function bare(path: string): string {
  return path.trim().replaceAll(/^\/+|\/+$/g, '');
}

/** What is said of a request that was sent so; undefined: nothing, it is the operator's own. */
export function proofOf(hook: Hook | undefined, as: SentAs): string | undefined {
  if (as === 'operator' || hook === undefined) return undefined;
  const { sendable, signer } = hook.verification;
  const sender = signer ?? hook.sender ?? 'its sender';
  switch (sendable) {
    case 'signed':
      return `signed as ${sender} signs`;
    case 'secret':
      return `with the secret of ${sender}`;
    case 'token':
      return 'with a token of the hook';
    default:
      return undefined;
  }
}

/** Who the request is from: the operator, or whoever usually sends to this hook, as far as that can be proved here. */
export function SenderChoice({
  hook,
  as,
  onChoose,
}: {
  hook: Hook | undefined;
  as: SentAs;
  onChoose: (as: SentAs) => void;
}) {
  const proof = proofOf(hook, 'sender');
  const onlySender = hook !== undefined && proof === undefined;
  return (
    <div>
      <label for="try-as">Send it as</label>
      <select
        id="try-as"
        value={proof === undefined ? 'operator' : as}
        onChange={({ currentTarget }) => onChoose(currentTarget.value as SentAs)}
      >
        <option value="operator">yourself: without authentication</option>
        {proof !== undefined && <option value="sender">its sender: {proof}</option>}
      </select>
      {onlySender && (
        <p class="help">
          Nothing here can prove to be the sender of this hook: either it alone can sign, or only
          digests of its tokens are kept.
        </p>
      )}
    </div>
  );
}

/** Through the mappings of the configuration: the one that is being written is not among them. */
export async function sendDraft(draft: Draft, as: SentAs): Promise<unknown> {
  const { hook, headers, payload } = toPreview({ ...draft, mapping: '' });
  return answer(api.POST('/ops/api/send', { body: { hook, headers, payload, as } }));
}

/** A command, and what to know of it. */
export interface CopiedCommand {
  readonly command: string;
  readonly note: string;
}

/** The request as a command of a shell. A signature proves this one request; secrets and tokens are the reader's to set. */
export async function toCommand(draft: Draft, hooks: readonly Hook[]): Promise<CopiedCommand> {
  const hook = hookOf(hooks, draft.hook);
  const { sendable, secretHeader } = hook?.verification ?? {};
  if (sendable === 'signed') return signedCommand(draft);
  const address = addressOf(draft.hook.trim(), hook, hooks);
  const isSecret = sendable === 'secret';
  return {
    command: curl(address, draft.body, {
      ...(isSecret ? showing(secretHeader ?? null) : showing('token')),
      headers: { 'content-type': 'application/json', ...parseHeaders(draft.headers) },
    }),
    note: `The command was copied; ${isSecret ? 'HOOK_SECRET' : 'HOOK_TOKEN'} is yours to set.`,
  };
}

async function signedCommand(draft: Draft): Promise<CopiedCommand> {
  const { hook, headers, payload } = toPreview({ ...draft, mapping: '' });
  const signed = await answer(api.POST('/ops/api/sign', { body: { hook, headers, payload } }));
  const { url, path, body, signer, validSeconds } = signed;
  const until =
    validSeconds === null ? 'until the secret is changed' : `for ${validSeconds} seconds`;
  return {
    command: curl(url ?? new URL(path, location.origin).href, body, { headers: signed.headers }),
    note: `The command was copied, signed as ${signer} signs: it is good ${until}, and takes effect once.`,
  };
}

/** Where a hook is reached: by the address that the operator gave the service, else as the console is. */
function addressOf(name: string, hook: Hook | undefined, hooks: readonly Hook[]): string {
  if (typeof hook?.url === 'string') return hook.url;
  const wake = hooks.find((one) => one.name === 'wake')?.path ?? '/hooks/wake';
  return new URL(hook?.path ?? wake.replace(/wake$/, name), location.origin).href;
}

interface CurlParts {
  readonly headers: Readonly<Record<string, string>>;
  /** Options in which the shell puts in what nobody is told. */
  readonly open?: string;
}

/** How curl shows a secret of the reader's. */
function showing(at: string | null): Pick<CurlParts, 'open'> {
  if (at === 'token') return { open: '-H "Authorization: Bearer $HOOK_TOKEN"' };
  if (at === 'authorization') return { open: '-u "$HOOK_SECRET"' };
  return at === null ? {} : { open: `-H "${at}: $HOOK_SECRET"` };
}

function curl(address: string, body: string, { headers, open }: CurlParts): string {
  const lines = [
    `curl -sS ${quoted(address)}`,
    ...(open === undefined ? [] : [open]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    // Not --data-binary: a body that begins with @ would name a file of the reader's.
    `--data-raw ${quoted(body)}`,
  ];
  return lines.join(' \\\n  ');
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
