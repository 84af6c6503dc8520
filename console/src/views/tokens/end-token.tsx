import { useState } from 'preact/hooks';
import { answer, api } from '../../api/client.ts';
import { act } from '../../ui/notices.tsx';

const LABELS = { old: 'End all but the newest', all: 'End all of them' } as const;

/** Ends tokens of a sender, once somebody has said so twice: its requests are refused from then on. */
export function EndToken({
  sender,
  which,
  onEnded,
}: {
  sender: string;
  /** Of several. Undefined: the only one. */
  which: keyof typeof LABELS | undefined;
  onEnded: () => void;
}) {
  const [isAsked, ask] = useState(false);
  const label = which === undefined ? 'End it' : LABELS[which];
  const end = async () => {
    ask(false);
    const params = { path: { id: sender }, query: { which } };
    await act(
      () => answer(api.DELETE('/ops/api/tokens/{id}', { params })),
      ({ left }) =>
        left === 0
          ? `${sender} has no token any more.`
          : 'Only the newest token counts from now on.',
    );
    onEnded();
  };
  if (!isAsked) {
    return (
      <button type="button" class="small" onClick={() => ask(true)}>
        {label}
      </button>
    );
  }
  return (
    <span class="actions">
      <button type="button" class="small danger" onClick={() => void end()}>
        {label}, now
      </button>
      <button type="button" class="small" onClick={() => ask(false)}>
        Keep
      </button>
    </span>
  );
}
