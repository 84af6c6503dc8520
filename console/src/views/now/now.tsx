import { Link } from 'wouter-preact';
import { answer, api } from '../../api/client.ts';
import type { Api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { copy } from '../../ui/copy.ts';
import { Loaded, Page } from '../../ui/page.tsx';
import { AttentionList } from './attention.tsx';
import { Chart } from './chart.tsx';
import './now.css';

type Activity = Api<'ActivityReport'>;

const EVERY_MS = 10_000;

/** What needs a person, and what happened lately. */
export default function Now() {
  const attention = useResource(() => answer(api.GET('/ops/api/attention')), [], EVERY_MS);
  const activity = useResource(() => answer(api.GET('/ops/api/activity')), [], EVERY_MS);
  return (
    <Page title="Now">
      <Loaded from={attention}>
        {({ items }) => (
          <>
            {items.some(({ kind }) => kind === 'demo') && <FirstSteps />}
            <AttentionList items={items} reload={attention.reload} />
          </>
        )}
      </Loaded>
      <Loaded from={activity}>{(report) => <Charts activity={report} />}</Loaded>
    </Page>
  );
}

const SETUP = 'npx nestjs-agent-hooks setup';

/** What leads from the demo to the first reply. */
function FirstSteps() {
  return (
    <section class="card" aria-label="First steps">
      <h2>From here to the first reply</h2>
      <p>
        <code>{SETUP}</code>{' '}
        <button
          type="button"
          class="quiet small"
          aria-label="Copy the command"
          onClick={() => void copy(SETUP, 'Copied.')}
        >
          Copy
        </button>
      </p>
      <p class="help">
        Typed in the directory of the service, it connects a model, a place for replies and a
        sender, tries each, and ends with the reply to a first event. Until then the demo agent
        answers:
      </p>
      <div class="actions">
        <Link class="button primary" href="/try">
          Try
        </Link>
      </div>
    </section>
  );
}

function Charts({ activity }: { activity: Activity }) {
  const { stepSeconds, from } = activity;
  const begin = Date.parse(from) / 1000;
  const times = activity.accepted.map((_, step) => begin + step * stepSeconds);
  return (
    <div class="cards charts">
      <Chart
        window="hour"
        times={times}
        title="Requests"
        series={[
          { name: 'accepted', counts: activity.accepted, tone: 'good' },
          { name: 'refused', counts: activity.refused, tone: 'bad' },
        ]}
      />
      <Chart
        window="hour"
        times={times}
        title="Runs"
        series={[
          { name: 'succeeded', counts: activity.runsSucceeded, tone: 'good' },
          { name: 'failed', counts: activity.runsFailed, tone: 'bad' },
        ]}
      />
      <Chart
        window="hour"
        times={times}
        title="Deliveries"
        series={[
          { name: 'delivered', counts: activity.delivered, tone: 'good' },
          { name: 'failed', counts: activity.deliveriesFailed, tone: 'bad' },
        ]}
      />
    </div>
  );
}
