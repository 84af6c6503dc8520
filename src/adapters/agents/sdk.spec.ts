import { loadSdk } from './sdk.ts';

describe('a package of the AI SDK that cannot be loaded', () => {
  const missing = async (): Promise<never> => {
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  };

  it('is a model that cannot be asked, so that its turns wait', async () => {
    await expect(loadSdk('@ai-sdk/google', missing)).rejects.toMatchObject({
      name: 'AgentError',
      kind: 'unreachable',
      message: expect.stringContaining('npm i [-g] @ai-sdk/google@^'),
    });
  });

  it('lets only its own turn wait where the model itself can be asked', async () => {
    await expect(loadSdk('@ai-sdk/mcp', missing, 'retryable')).rejects.toMatchObject({
      kind: 'retryable',
    });
  });
});
