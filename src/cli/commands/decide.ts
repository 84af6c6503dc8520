import type { WaitingRun } from '../../hooks/index.ts';
import { option } from '../command.ts';
import { asLine, asLines } from '../foreign-text.ts';
import { PAGE_OPTIONS, gatherPages, noteMore } from '../service/pages.ts';
import { serviceCommand } from '../service/service-command.ts';

export const decisions = serviceCommand({
  name: 'decisions',
  description: 'list the runs that wait for a decision, with what would happen',
  options: PAGE_OPTIONS,
  examples: [['hooks decisions', 'the oldest first; decide with hooks approve or hooks deny']],
  ask: ({ service, options }) =>
    gatherPages('waits', options, (query) => service.ask('GET /ops/api/waits', 'waits', { query })),
  print({ waits, nextCursor }, { terminal }) {
    if (waits.length === 0) terminal.note('Nothing waits for a decision.');
    for (const line of waits.flatMap((wait) => [...linesOf(wait)])) terminal.print(line);
    noteMore(nextCursor, terminal);
  },
});

function* linesOf(wait: WaitingRun): Generator<string> {
  const { id, kind, hook, mapping, agentId, eventId, recipient, text, request } = wait;
  const { openedAt, until, whenOver } = wait;
  const who = asLine(mapping ?? hook);
  const agent = asLine(agentId);
  const to = recipient?.to == null ? '' : `, recipient ${asLine(recipient.to)}`;
  const what = {
    run: `begin a run of the agent ${agent} with this message`,
    tools: `have the agent ${agent} call these tools`,
    reply: `send this reply to ${asLine(recipient?.channel ?? '')}${to}`,
  };
  yield `${id}  ${who} would ${what[kind]}`;
  const otherwise = whenOver === 'deny' ? 'it is denied' : 'it is given up';
  yield `  event ${eventId}, hook ${asLine(hook)}, agent ${agent}`;
  yield `  waiting since ${openedAt}; without a decision by ${until} ${otherwise}`;
  if (request !== null) {
    yield '  The agent was asked:';
    for (const line of asLines(request)) yield `  > ${line}`;
  }
  for (const line of asLines(text)) yield `  | ${line}`;
}

const WAIT_ID = 'id of the wait, as hooks decisions and the question itself say it';
const REASON = option('--reason <text>', 'why; the main session of the agent is told');

export const approve = serviceCommand({
  name: 'approve',
  description: 'let a run begin, or its reply be sent, that waits for a decision',
  arguments: [['<id>', WAIT_ID]],
  options: [REASON, option('--text <text>', 'sent in place of the reply')],
  examples: [
    ['hooks approve 0198c5c2-…', 'as it is shown by hooks decisions'],
    ['hooks approve 0198c5c2-… --text "Thanks, merged."', 'with other words'],
  ],
  ask: ({ service, options: { reason, text } }, id: string) =>
    service.ask('POST /ops/api/waits/{id}/decide', 'ok', {
      path: { id },
      body: { verdict: 'approved', ...(reason && { reason }), ...(text && { text }) },
    }),
  print: (_answer, { terminal }) => terminal.print('Approved.'),
});

export const deny = serviceCommand({
  name: 'deny',
  description: 'end a run that waits for a decision, or keep its reply from being sent',
  arguments: [['<id>', WAIT_ID]],
  options: [REASON],
  examples: [['hooks deny 0198c5c2-… --reason "not on a Friday"', 'the agent is told why']],
  ask: ({ service, options: { reason } }, id: string) =>
    service.ask('POST /ops/api/waits/{id}/decide', 'ok', {
      path: { id },
      body: { verdict: 'denied', ...(reason && { reason }) },
    }),
  print: (_answer, { terminal }) => terminal.print('Denied.'),
});
