import { listSamples, presets, readSample } from '../../src/hooks/index.ts';
import type { Preset } from '../../src/hooks/index.ts';
import { samplePost } from '../../src/cli/senders/sample-post.ts';
import { findRule, proofKind, schemeOf, senderPath } from '../../src/service/index.ts';
import { canSign } from '../../src/service/senders/signed-post.ts';
import { inspectConfiguration } from '../../src/service/index.ts';
import type { Inspection } from '../../src/service/index.ts';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';

const BASE = 'https://hooks.example.org';
const SENDERS = [...presets.values()].filter(({ id }) => id !== 'mail');
const MADE: Readonly<Record<string, string>> = {
  discord: 'ab'.repeat(32),
  resend: `whsec_${Buffer.from('a-secret-of-the-sender').toString('base64')}`,
};

let dir: ConfigDirectory;
let here: Inspection;
const steps = new Map<string, readonly string[]>();
const failures: string[] = [];
beforeAll(async () => {
  dir = new ConfigDirectory();
  for (const preset of SENDERS) {
    const made = MADE[preset.id] ?? 'a-secret-that-the-sender-made';
    const secret = proofKind(preset) === 'their-secret' ? ['--secret', made] : [];
    const args = ['setup', preset.id, '--url', BASE, '--json', ...secret];
    const { code, stdout, stderr } = await hooksCall(args, { cwd: dir.path });
    if (code === 0) steps.set(preset.id, JSON.parse(stdout).steps);
    else failures.push(`${preset.id}: ${stderr}`);
  }
  here = await inspectConfiguration(dir.path, {});
});
afterAll(() => dir[Symbol.dispose]());

it('all of them together are a configuration without a problem', () => {
  expect(failures).toEqual([]);
  expect(here.problems).toEqual([]);
  expect(here.resolved?.effective.hooks.presets.toSorted()).toEqual(
    SENDERS.map(({ id }) => id).toSorted(),
  );
});

describe.each(SENDERS.map((preset): [string, Preset] => [preset.id, preset]))(
  '%s',
  (id, preset) => {
    it('has steps with everything filled in, the address among them', () => {
      const text = steps.get(id)?.join('\n') ?? '';
      expect(text).toContain(`hooks.example.org/hooks/${id}`);
      expect(text).not.toMatch(/\{(?:url|secretUrl|secret|token)\}/);
      const { mappings } = here.resolved!.effective.hooks;
      const [secret] = mappings.find((mapping) => mapping.id === id)?.verify?.secrets ?? [];
      expect(secret !== undefined && text.includes(secret)).toBe(
        proofKind(preset) === 'own-secret',
      );
    });

    it('asks for a token or for a secret, not for both', () => {
      const text = preset.setup.join('\n');
      expect(/\{token\}/.test(text) && /\{secret/.test(text)).toBe(false);
    });

    it('has samples that its own path believes', async () => {
      const settings = here.resolved!.effective;
      const service = { url: new URL('http://127.0.0.1:18790'), hooksPath: '/hooks', isOwn: true };
      const now = Date.now();
      const scheme = schemeOf(preset);
      const verifier = findRule(senderPath(preset, settings.hooks), settings)?.signer?.verifier;
      expect(verifier === undefined).toBe(proofKind(preset) === 'token');
      const isPlayed = scheme === undefined || canSign(scheme);
      for (const event of isPlayed ? listSamples(id) : []) {
        const sending = { settings, service, idempotencyKey: undefined, now };
        const { headers, name, body, query } = samplePost(preset, readSample(id, event)!, sending);
        const parameters = String(new URLSearchParams(query));
        const url = `/hooks/${name}${parameters === '' ? '' : `?${parameters}`}`;
        const verified = await verifier?.verify({ method: 'POST', url, headers, body }, now);
        expect(verified).toEqual(
          verifier === undefined ? undefined : expect.objectContaining({ scheme: scheme?.id }),
        );
      }
    });
  },
);
