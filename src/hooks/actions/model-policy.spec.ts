import { catchRejection } from '../../../test/support/ingest.ts';
import { resolveOptions } from '../options/index.ts';
import type { HooksSettingsInput } from '../options/index.ts';
import { ModelPolicy } from './action-resolver.ts';

const providers = { local: { baseUrl: 'http://127.0.0.1:11434/v1' } };

function resolve(asked: string, given: HooksSettingsInput) {
  return new ModelPolicy().resolve(asked, resolveOptions(given).resolved);
}

function refused(asked: string, given: HooksSettingsInput): string {
  const { code, status, message } = catchRejection(() => resolve(asked, given));
  expect([code, status]).toEqual(['model_not_allowed', 400]);
  return message;
}

describe('ModelPolicy with providers (spec field model, behaviour §5 model)', () => {
  const given = { models: { providers, aliases: { fast: 'local/llama3', size: 'local/big' } } };

  it.each(['local/llama3', 'local/meta/llama3', 'local/x:y'])(
    'takes %s, split at the first slash',
    (model) => {
      expect(resolve(model, given)).toEqual({ model });
    },
  );

  it('takes an alias for its model', () => {
    expect(resolve('fast', given)).toEqual({ model: 'local/llama3' });
  });

  it.each([
    'other/llama3',
    'llama3',
    '/llama3',
    'local/',
    'local',
    '/',
    'FAST',
    'Local/llama3',
    '__proto__',
    'constructor/x',
    'toString',
  ])('refuses %s before anything is stored', (model) => {
    expect(refused(model, given)).toContain('models.providers');
  });
});

describe('ModelPolicy with an enforced agents.defaults.models (spec "Related key")', () => {
  const listed = { models: { providers }, agents: { defaults: { models: ['local/a'] } } };
  const named = {
    models: { providers },
    agents: { defaults: { models: { 'local/a': { alias: 'quick' }, 'local/b': {} } } },
  };

  it('takes what is in it and refuses what is not', () => {
    expect(resolve('local/a', listed).model).toBe('local/a');
    expect(refused('local/b', listed)).toContain('agents.defaults.models');
  });

  it('takes an id or an alias of the object form', () => {
    expect([resolve('quick', named).model, resolve('local/b', named).model]).toEqual([
      'local/a',
      'local/b',
    ]);
    expect(refused('local/c', named)).toContain('agents.defaults.models');
  });

  it('checks the model behind an alias, not the alias', () => {
    const given = { ...listed, models: { providers, aliases: { a: 'local/a', b: 'local/b' } } };
    expect(resolve('a', given).model).toBe('local/a');
    expect(refused('b', given)).toContain('agents.defaults.models');
  });

  it('is enforced when no providers are configured, too', () => {
    expect(refused('local/b', { agents: listed.agents })).toContain('agents.defaults.models');
  });

  it.each([[[]], [{}]])('%j enforces nothing', (models) => {
    expect(
      resolve('local/z', { models: { providers }, agents: { defaults: { models } } }).model,
    ).toBe('local/z');
  });
});

describe('ModelPolicy without any models', () => {
  it('passes the model on with a warning', () => {
    expect(resolve('any thing', {})).toEqual({
      model: 'any thing',
      warning: 'no models are configured, model is passed on unchecked',
    });
  });
});
