import { officialLibraries } from '../support/official-libraries.ts';
import { describeOverHttp } from '../support/official-over-http.ts';

// SNS needs its certificate: certificates.e2e-spec.ts.
const { 'aws-sns': _sns, ...libraries } = officialLibraries;

for (const [id, library] of Object.entries(libraries)) describeOverHttp(id, library);
