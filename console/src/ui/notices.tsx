import { signal } from '@preact/signals';
import { asApiError } from '../api/resource.ts';
import { Icon } from './icon.tsx';

// What an action of the operator led to, told at the edge of the page and to screen readers.

interface Notice {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
}

const MOST = 4;
const SHOWN_MS = 8000;

const notices = signal<readonly Notice[]>([]);
let last = 0;

export function tell(text: string, kind: Notice['kind'] = 'done'): void {
  const id = ++last;
  notices.value = [...notices.value, { id, kind, text }].slice(-MOST);
  // What went wrong stays until somebody has read it.
  if (kind === 'done') setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Does what a button says, and tells how it ended. @param done the sentence for when it went well */
export async function act<T>(
  call: () => Promise<T>,
  done: (answer: T) => string,
): Promise<boolean> {
  try {
    tell(done(await call()));
    return true;
  } catch (error) {
    tell(asApiError(error).message, 'failed');
    return false;
  }
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, kind, text }) => (
        <div key={id} class={`notice ${kind}`}>
          <Icon name={kind === 'done' ? 'done' : 'alert'} />
          <span>{text}</span>
          <button class="quiet" type="button" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
