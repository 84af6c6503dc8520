import { useEffect, useState } from 'preact/hooks';

/** As in the style sheets: a phone. */
const NARROW = matchMedia('(max-width: 48rem)');

/** Whether the page is as narrow as a phone, for what style sheets cannot tell by themselves. */
export function useNarrow(): boolean {
  const [isNarrow, set] = useState(NARROW.matches);
  useEffect(() => {
    const hear = () => set(NARROW.matches);
    NARROW.addEventListener('change', hear);
    return () => NARROW.removeEventListener('change', hear);
  }, []);
  return isNarrow;
}
