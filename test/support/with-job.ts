import type { NewEvent, NewWork, RunJob } from '../../src/hooks/ports/index.ts';

export function withWork(given: NewEvent, more: Partial<NewWork>): NewEvent {
  return {
    ...given,
    actions: given.actions.map((action) => ({
      ...action,
      changes: action.changes.map((change) =>
        change.type === 'work' ? { ...change, work: { ...change.work, ...more } } : change,
      ),
    })),
  };
}

export function withJob(given: NewEvent, more: Partial<RunJob>): NewEvent {
  const [change] = given.actions.flatMap(({ changes }) =>
    changes.filter(({ type }) => type === 'work'),
  );
  const job = change?.type === 'work' ? change.work.job : {};
  return withWork(given, { job: { ...job, ...more } as RunJob });
}
