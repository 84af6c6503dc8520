import { useRef, useState } from 'preact/hooks';
import { answer, api } from '../../api/client.ts';
import { asApiError } from '../../api/resource.ts';
import { DangerButton } from '../../ui/danger-button.tsx';

// What is done to the events that somebody selected: one after the other, told while it goes on, and what came of it.

type Act = (id: string) => Promise<unknown>;

const at = (id: string) => ({ params: { path: { id } } });

const ACTS: Readonly<Record<'Retry' | 'Replay' | 'Dismiss' | 'Forget', Act>> = {
  Retry: (id) => answer(api.POST('/ops/api/events/{id}/retry', at(id))),
  Replay: (id) => answer(api.POST('/ops/api/events/{id}/replay', at(id))),
  Dismiss: (id) => answer(api.POST('/ops/api/events/{id}/dismiss', at(id))),
  Forget: (id) => answer(api.DELETE('/ops/api/events/{id}', at(id))),
};

type ActName = keyof typeof ACTS;

/** How far it has come. */
interface Progress {
  readonly name: ActName;
  readonly all: number;
  readonly done: number;
  /** How many events were refused for each reason. */
  readonly refused: ReadonlyMap<string, number>;
  readonly isOver: boolean;
}

/** The bar that is there while anything is selected, and until its outcome was read. */
export function Selection(props: {
  selected: ReadonlySet<string>;
  select: (ids: ReadonlySet<string>) => void;
  /** Of what is loaded. */
  all: readonly string[];
  reload: () => void;
}) {
  const { selected, select, all, reload } = props;
  const [progress, setProgress] = useState<Progress | null>(null);
  const stopped = useRef(false);
  const isUnderWay = progress !== null && !progress.isOver;
  const begin = async (name: ActName) => {
    stopped.current = false;
    const left = new Set(selected);
    let now: Progress = { name, all: left.size, done: 0, refused: new Map(), isOver: false };
    setProgress(now);
    for (const id of selected) {
      if (stopped.current) break;
      const why = await ACTS[name](id).then(
        () => null,
        (error: unknown) => asApiError(error),
      );
      // Nobody answers: what is left stays selected.
      if (why?.code === 'unreachable') break;
      left.delete(id);
      const refused = new Map(now.refused);
      if (why !== null) refused.set(why.message, (refused.get(why.message) ?? 0) + 1);
      now = { ...now, done: now.done + Number(why === null), refused };
      setProgress(now);
    }
    setProgress({ ...now, isOver: true });
    select(left);
    reload();
  };
  if (selected.size === 0 && progress === null) return null;
  return (
    <div class="selection" role="region" aria-label="Selection">
      <span role="status">
        {progress === null ? `${selected.size} selected` : <Told progress={progress} />}
      </span>
      {isUnderWay ? (
        <button type="button" onClick={() => (stopped.current = true)}>
          Stop
        </button>
      ) : (
        <>
          {selected.size > 0 && (
            <>
              {(['Retry', 'Replay', 'Dismiss'] as const).map((name) => (
                <button key={name} type="button" onClick={() => void begin(name)}>
                  {name}
                </button>
              ))}
              <DangerButton label="Forget" onSure={() => void begin('Forget')} />
            </>
          )}
          {selected.size < all.length && (
            <button type="button" onClick={() => select(new Set(all))}>
              Select all {all.length} shown
            </button>
          )}
          <button
            type="button"
            class="quiet"
            onClick={() => {
              select(new Set());
              setProgress(null);
            }}
          >
            Clear
          </button>
        </>
      )}
    </div>
  );
}

function Told({ progress: { name, all, done, refused, isOver } }: { progress: Progress }) {
  const not = [...refused].map(([why, count]) => `${count} not: ${why}`);
  const come = all - done - [...refused.values()].reduce((sum, count) => sum + count, 0);
  const rest = come === 0 ? [] : [`${come} ${isOver ? 'left' : 'to come'}`];
  return <>{[`${name}: ${done} of ${all} done`, ...not, ...rest].join('; ')}</>;
}
