// Eight platforms as processes see them: real HTTP on 127.0.0.1, each refusing or losing 5 of 100 requests.
// Speaks with its parent: first where they listen, then, when asked, what people saw.
import { PLATFORMS, PlatformServer } from '../test/support/platforms/index.ts';

/** More requests than the bench makes of one platform. */
const SCRIPTS = 20_000;
const speeches = PLATFORMS.filter(([name]) => name !== 'signal over REST');

/** In percent: 2.5 broken, 1 lost after it was shown, 0.5 limited for a second, 1 refused for good. */
function failureOf(speech) {
  const percent = Math.random() * 100;
  if (percent < 1.5) return { status: 500, body: 'oops' };
  if (percent < 2.5) return { status: 503, body: '<h1>Unavailable</h1>' };
  if (percent < 3.5) return { cut: 'at-once' };
  if (percent < 4) return speech.limited(1);
  if (percent < 5) return speech.refusals.find(([, , kind]) => kind === 'permanent')[1];
  return {};
}

const servers = await Promise.all(
  speeches.map(async ([name, speech]) => {
    const server = await PlatformServer.start(speech);
    server.next({}, ...Array.from({ length: SCRIPTS }, () => failureOf(speech)));
    return { name, speech, server };
  }),
);

process.on('message', () => {
  const seen = servers.map(({ name, speech, server }) => {
    const { shown, requests } = server;
    return { name, knowsKeys: speech.knowsKeys, requests: requests.length, shown };
  });
  process.send(seen, () => process.exit(0));
});
process.send(
  servers.map(({ name, speech, server }) => ({
    name,
    provider: speech.provider,
    settings: speech.settings(server.origin),
  })),
);
