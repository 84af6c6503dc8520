import { useState } from 'preact/hooks';

/** For what cannot be undone: asks again, until one looks elsewhere. */
export function DangerButton(props: { label: string; isDisabled?: boolean; onSure: () => void }) {
  const { label, isDisabled = false, onSure } = props;
  const [isAsked, ask] = useState(false);
  const press = () => {
    ask(!isAsked);
    if (isAsked) onSure();
  };
  return (
    <button
      type="button"
      class="danger"
      disabled={isDisabled}
      onClick={press}
      onBlur={() => ask(false)}
    >
      {isAsked ? `${label}: really?` : `${label} …`}
    </button>
  );
}
