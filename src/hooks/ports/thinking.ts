/** Every thinking level a request may name. A runner maps them to what its model knows. */
export const THINKING_LEVELS = [
  'off',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
  'adaptive',
] as const;
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];
