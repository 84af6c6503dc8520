export * from './fence.ts';
export * from './neutralize.ts';
export * from './prompt.ts';
export * from './system-events.ts';
