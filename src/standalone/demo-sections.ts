import type { Sections } from './json5-document.ts';

/** What the service does where no gateway.json5 exists: the recommended policy, and an agent that needs no set-up. */
export function demoSections(hookToken: string): Sections {
  return {
    hooks: {
      enabled: true,
      token: hookToken,
      defaultSessionKey: 'hook:ingress',
      allowedSessionKeyPrefixes: ['hook:'],
    },
    agents: { defaults: { model: 'auto' } },
  };
}
