// Makes the pictures of the console in docs/images: a service with samples of what senders send, and Chromium
// (`npm run test:console` installs it). Each view in light and dark.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const TOKEN = 'operator-token-of-the-pictures';
const HOOK_TOKEN = 'hook-token-of-the-pictures';
/** Presets whose senders show a token, and so can be imitated. */
const PRESETS = [
  'alertmanager',
  'grafana',
  'uptime-kuma',
  'gitlab',
  'proxmox',
  'sonarr',
  'datadog',
];

const dir = mkdtempSync(join(tmpdir(), 'hooks-images-'));
writeFileSync(
  join(dir, 'gateway.json5'),
  JSON.stringify({
    gateway: { port: 0, auth: { token: TOKEN } },
    hooks: {
      enabled: true,
      token: HOOK_TOKEN,
      presets: PRESETS,
      defaultSessionKey: 'hook:ingress',
    },
    agents: { defaults: { runner: { type: 'demo' }, notify: false } },
  }),
  { mode: 0o600 },
);
const service = spawn(process.execPath, [resolve('dist/main.js')], {
  cwd: dir,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const url = await listening();
  const story = await fill(url);
  for (const colorScheme of ['light', 'dark']) await take(url, colorScheme, story);
} finally {
  await browser.close();
  service.kill();
  await once(service, 'close');
  rmSync(dir, { recursive: true });
}

async function listening() {
  for await (const line of createInterface({ input: service.stdout })) {
    const url = line.startsWith('{') ? JSON.parse(line).url : undefined;
    if (url !== undefined) {
      service.stdout.resume();
      return url;
    }
  }
  throw new Error('the service does not start');
}

/** Sends every sample; the id of an event whose story is shown. */
async function fill(url) {
  const operator = { authorization: `Bearer ${TOKEN}` };
  const samples = await fetch(`${url}/ops/api/samples`, { headers: operator });
  const { presets } = await samples.json();
  let story;
  for (const { preset, samples: names } of presets.filter(({ preset: id }) =>
    PRESETS.includes(id),
  )) {
    for (const name of names) {
      const sample = await fetch(`${url}/ops/api/samples/${preset}/${name}`, { headers: operator });
      const { hook, headers, body } = await sample.json();
      const sent = await fetch(`${url}/hooks/${hook}`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${HOOK_TOKEN}` },
        body,
      });
      const { eventId, runId } = await sent.json();
      if (preset === 'alertmanager' && runId !== undefined) story ??= eventId;
    }
  }
  await fetch(`${url}/hooks/wake`, { method: 'POST', body: '{}' });
  return story;
}

async function take(url, colorScheme, story) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme,
    locale: 'en-GB',
  });
  const page = await context.newPage();
  await page.goto(`${url}/console/`);
  await page.getByLabel('Operator’s token').fill(TOKEN);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  const views = { now: '/', events: '/events', story: `/events/${story}`, try: '/try' };
  for (const [name, path] of Object.entries(views)) {
    await page.goto(`${url}/console${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {});
    if (name === 'story') await page.getByText('What the agent was shown').click();
    if (name === 'try') {
      await page.getByLabel('Begin with a sample').selectOption('gitlab/merge_request');
      await page.getByText('Why each mapping').waitFor();
    }
    await page.screenshot({ path: `docs/images/console-${name}-${colorScheme}.png` });
  }
  await context.close();
}
