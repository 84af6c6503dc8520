import { officialLibraries } from '../support/official-libraries.ts';
import { describeOverHttp } from '../support/official-over-http.ts';

// One of each kind of proof; every library's is read by official-signers.spec.ts. SNS: certificates.e2e-spec.ts.
for (const id of ['github', 'standard-webhooks', 'discord'] as const) {
  describeOverHttp(id, officialLibraries[id]!);
}
