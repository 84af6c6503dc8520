import { effect, signal } from '@preact/signals';

/** `system`: as the system is set. Kept in the browser, like nothing else of the console. */
export type Theme = 'system' | 'light' | 'dark';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const KEY = 'hooks-theme';

function kept(): Theme {
  const value = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === value) ?? 'system';
}

export const theme = signal<Theme>(kept());

effect(() => {
  localStorage.setItem(KEY, theme.value);
  document.documentElement.dataset['theme'] = theme.value;
});

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
}
