export const MAPPING_ACTIONS = ['wake', 'agent', 'deliver', 'resume', 'ignore'] as const;
/** What a mapping makes of a request. */
export type MappingAction = (typeof MAPPING_ACTIONS)[number];

/** What runs alone read, what wakes alone do, what both do, what has a recipient, and whatever does something. */
export const OF_RUNS: readonly MappingAction[] = ['agent', 'resume'];
export const OF_NEW_RUNS: readonly MappingAction[] = ['agent'];
export const OF_RESUMES: readonly MappingAction[] = ['resume'];
export const OF_WAKES: readonly MappingAction[] = ['wake'];
export const OF_AGENTS: readonly MappingAction[] = ['wake', 'agent', 'resume'];
export const OF_MESSAGES: readonly MappingAction[] = ['agent', 'deliver', 'resume'];
export const OF_ACTIONS: readonly MappingAction[] = ['wake', 'agent', 'deliver', 'resume'];
