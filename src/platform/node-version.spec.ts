import { nodeRefusal } from './node-version.ts';

describe('nodeRefusal', () => {
  it.each(['24.15.0', '24.21.0', '25.0.0', '26.10.0'])('has nothing against Node %s', (version) => {
    expect(nodeRefusal(version)).toBeUndefined();
  });

  it.each(['18.20.0', '20.20.2', '22.23.2', '24.14.9'])(
    'refuses Node %s in one sentence',
    (version) => {
      const refusal = nodeRefusal(version);
      expect(refusal).toContain(`needs Node 24.15 or newer and was started on Node ${version}`);
      expect(refusal).toContain('npm start');
      expect(refusal).toContain('npm rebuild node --ignore-scripts=false');
      expect(refusal).not.toContain('\n');
    },
  );
});
