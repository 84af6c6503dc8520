// An agent on the official SDK of Agent2Agent: works for a moment, says so, and answers with an artifact.
//   node a2a-agent.mjs <folder of the SDK's node_modules>
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.argv[2] ?? '', 'of.cjs'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const {
  AgentEvent,
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} = await load('@a2a-js/sdk/server');
const { Role, TaskState } = await load('@a2a-js/sdk');

const said = (text, { taskId, contextId }) => ({
  messageId: crypto.randomUUID(),
  role: Role.ROLE_AGENT,
  parts: [
    { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' },
  ],
  taskId,
  contextId,
  extensions: [],
  metadata: undefined,
  referenceTaskIds: [],
});
const stands = (state, of, text) =>
  AgentEvent.statusUpdate({
    taskId: of.taskId,
    contextId: of.contextId,
    status: { state, message: text && said(text, of), timestamp: new Date().toISOString() },
    metadata: undefined,
  });
const canceled = new Map();

const executor = {
  async execute(request, bus) {
    const { taskId, contextId, userMessage } = request;
    const prompt = userMessage.parts.map(({ content }) => content?.value ?? '').join('\n');
    bus.publish(
      AgentEvent.task({
        id: taskId,
        contextId,
        status: { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined },
        artifacts: [],
        history: [userMessage],
        metadata: undefined,
      }),
    );
    bus.publish(stands(TaskState.TASK_STATE_WORKING, request, 'reading'));
    const [, number = '0'] = /Question (\d+)/.exec(prompt) ?? [];
    if (prompt.includes('for ever')) {
      await new Promise((resolve) => canceled.set(taskId, resolve));
      return;
    }
    if (prompt.includes('and fail')) {
      bus.publish(stands(TaskState.TASK_STATE_FAILED, request, 'there is no such thing'));
    } else {
      const { parts } = said(`I heard ${number}.`, request);
      const artifact = {
        artifactId: 'answer',
        name: 'answer',
        description: '',
        parts,
        metadata: undefined,
        extensions: [],
      };
      bus.publish(
        AgentEvent.artifactUpdate({
          taskId,
          contextId,
          artifact,
          append: false,
          lastChunk: true,
          metadata: undefined,
        }),
      );
      bus.publish(stands(TaskState.TASK_STATE_COMPLETED, request));
    }
    bus.finished();
  },
  async cancelTask(taskId, bus) {
    bus.publish(stands(TaskState.TASK_STATE_CANCELED, { taskId, contextId: '' }));
    bus.finished();
    canceled.get(taskId)?.();
    process.stdout.write(`canceled\n`);
  },
};

const card = {
  name: 'heard',
  description: 'says what it heard',
  version: '1.0.0',
  supportedInterfaces: [],
  capabilities: { streaming: true, pushNotifications: true, extensions: [] },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  securitySchemes: {},
  securityRequirements: [],
  signatures: [],
};
const pushes = new InMemoryPushNotificationStore();
const handler = new DefaultRequestHandler(
  card,
  new InMemoryTaskStore(),
  executor,
  undefined,
  pushes,
  new DefaultPushNotificationSender(pushes),
);
const rpc = new JsonRpcTransportHandler(handler);

const server = createServer((request, response) => void answer(request, response));
async function answer(request, response) {
  const context = new ServerCallContext({ requestedVersion: request.headers['a2a-version'] });
  const said = await rpc.handle(await json(request), context);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(said));
}
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
