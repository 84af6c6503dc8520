// The operations of the operator API and of the health checks, read from their controllers: route, queries and bodies
// from the decorators and the classes they name, the answer from the type that the handler returns, and the refusals
// from the code that throws them.
import ts from 'typescript';
import { optionsOf } from '../options/gateway-options.mjs';
import { ValidatorSchemas } from '../options/validator-schemas.mjs';

const VERBS = { Get: 'get', Post: 'post', Put: 'put', Delete: 'delete' };

/** Guards, by who may pass. */
const SECURITY = {
  ConsoleGuard: [],
  OperatorGuard: [{ operator: [] }, { console: [] }],
  MetricsGuard: [{ operator: [] }, { console: [] }, { metrics: [] }],
};

/** What may happen to every request that needs the ledger and a token. */
const ALWAYS = ['host_not_allowed', 'store_unavailable', 'internal_error'];

/** Every operation of the controllers below a folder. */
export class Operations {
  /** Components: answers that several operations share. */
  responses = {};
  #declared;
  #schemas;
  #catalogue;
  #rejections;
  #validators = new ValidatorSchemas();

  /** @param {Record<'refusals' | 'rejections', Record<string, { status: number }>>} codes of the operator API, of the hooks */
  constructor(declared, schemas, { refusals, rejections }) {
    this.#declared = declared;
    this.#schemas = schemas;
    this.#catalogue = { ...rejections, ...refusals };
    this.#rejections = Object.keys(rejections);
  }

  /** All of the controllers below a folder: `[path, verb, operation]` each, in the order of the files. */
  async below(folder) {
    const files = this.#declared.sourceFiles.filter(({ fileName }) => {
      return fileName.includes(folder) && fileName.endsWith('.controller.ts');
    });
    files.sort((one, other) => one.fileName.localeCompare(other.fileName, 'en'));
    const classes = files.flatMap(({ statements }) => statements.filter(ts.isClassDeclaration));
    const operations = [];
    for (const controller of classes) {
      const [base] = textsOf(controller, 'Controller') ?? [];
      if (base === undefined) continue;
      for (const method of controller.members.filter(ts.isMethodDeclaration)) {
        const operation = await this.#operation(controller, base, method);
        if (operation !== undefined) operations.push(operation);
      }
    }
    return operations;
  }

  async #operation(controller, base, method) {
    const [decorator, verb] =
      Object.entries(VERBS).find(([name]) => textsOf(method, name) !== undefined) ?? [];
    if (verb === undefined) return undefined;
    const [rest = ''] = textsOf(method, decorator);
    const path = `/${[base, rest].filter((part) => part !== '').join('/')}`;
    const tag = lowerFirst(controller.name.text.replace(/Controller$/, ''));
    const { text: name } = method.name;
    const operationId = name === tag ? name : `${tag}${upperFirst(name)}`;
    const [guard] = namesOf(controller, 'UseGuards');
    const body = await this.#body(method);
    const operation = {
      operationId,
      tags: [tag],
      ...this.#told(method, operationId),
      security: SECURITY[guard] ?? [],
      ...(SECURITY[guard]?.length > 0 && { 'x-role': roleOf(method, verb) }),
      ...notEmpty('parameters', await this.#parameters(method)),
      ...(body !== undefined && { requestBody: body }),
      responses: {
        ...this.#success(method, operationId, verb),
        ...this.#refusals(controller, method, guard !== undefined),
      },
    };
    return [path.replaceAll(/:(\w+)/g, '{$1}'), verb, operation];
  }

  /** The first sentence of the docstring, and all of it where there is more. */
  #told(method, operationId) {
    const text = oneLine(
      ts.displayPartsToString(this.#symbol(method).getDocumentationComment(this.#declared.checker)),
    );
    if (text === '') throw new Error(`${operationId} has no docstring`);
    const [summary] = /^.*?(?:[.;:](?= |$)|$)/.exec(text);
    return {
      summary: summary.replace(/[.;:]$/, ''),
      ...(text.length > summary.length && { description: text }),
    };
  }

  async #parameters(method) {
    const all = [];
    for (const parameter of method.parameters) {
      const [inPath] = textsOf(parameter, 'Param') ?? [];
      if (inPath !== undefined) {
        const description = this.#parameterDoc(method, parameter) || `Id of the ${inPath}.`;
        all.push({
          name: inPath,
          in: 'path',
          required: true,
          description,
          schema: { type: 'string' },
        });
      }
      if (textsOf(parameter, 'Query') === undefined) continue;
      for (const option of await optionsOf(this.#declared, parameter.type.getText())) {
        const { key, doc, isRequired } = option;
        all.push({
          name: key,
          in: 'query',
          ...(isRequired && { required: true }),
          description: doc,
          schema: this.#input(option),
        });
      }
    }
    return all;
  }

  #parameterDoc(method, { name }) {
    const tag = ts.getJSDocParameterTags(method.parameters.find((it) => it.name === name))[0];
    return oneLine(ts.getTextOfJSDocComment(tag?.comment) ?? '');
  }

  /** The class that the handler reads its body as. */
  async #body(method) {
    const [read] = callsIn(method, 'readBody');
    if (read === undefined) return undefined;
    const name = read.arguments[1].getText();
    const options = await optionsOf(this.#declared, name);
    const required = options.filter(({ isRequired }) => isRequired).map(({ key }) => key);
    const schema = {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        options.map((option) => [
          option.key,
          { ...this.#input(option), ...(option.doc !== '' && { description: option.doc }) },
        ]),
      ),
      ...notEmpty('required', required),
    };
    return { required: required.length > 0, content: { 'application/json': { schema } } };
  }

  #input({ rules, initial }) {
    const isScalar = ['string', 'number', 'boolean'].includes(typeof initial);
    const own = this.#validators.merged(rules.filter(({ each }) => !each));
    const items = this.#validators.merged(rules.filter(({ each }) => each));
    return { ...own, ...notEmpty('items', items), ...(isScalar && { default: initial }) };
  }

  #success(method, operationId, verb) {
    if (operationId === 'eventsReplay' || operationId === 'send') return replayed();
    if (operationId === 'eventStreamFollow') {
      return {
        200: {
          description: 'Server-sent events, until somebody ends it.',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
      };
    }
    if (operationId === 'metricsScrape') {
      return {
        200: {
          description: 'The metrics as text.',
          content: { 'text/plain': { schema: { type: 'string' } } },
        },
      };
    }
    const { checker } = this.#declared;
    const returned = checker.getReturnTypeOfSignature(checker.getSignatureFromDeclaration(method));
    const schema = this.#schemas.schemaOf(checker.getAwaitedType(returned));
    const [code] = textsOf(method, 'HttpCode') ?? [];
    const status = code ?? (verb === 'post' ? '201' : '200');
    return { [status]: { description: 'Done.', content: { 'application/json': { schema } } } };
  }

  #refusals(controller, method, isGuarded) {
    const codes = new Set(isGuarded ? ALWAYS : []);
    const seen = new Set();
    for (const decorator of ts.getDecorators(controller) ?? [])
      this.#collect(decorator, codes, seen);
    this.#collect(method, codes, seen);
    if (throwsRejections(method)) {
      return refusalResponses([...codes, ...this.#rejections], this.#catalogue, 'RejectedAnswer');
    }
    const responses = refusalResponses([...codes], this.#catalogue);
    return Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, this.#shared(response)]),
    );
  }

  /** A refusal that says the same wherever it stands is a component, named after its codes where they are few. */
  #shared(response) {
    const codes = response.description.split(', ');
    if (codes.length > 4) return response;
    const name = codes.map((code) => code.split('_').map(upperFirst).join('')).join('Or');
    this.responses[name] = response;
    return { $ref: `#/components/responses/${name}` };
  }

  /** Codes of every `new Refusal(…)` in this code, and in whatever of the operator API it calls. */
  #collect(node, codes, seen) {
    if (seen.has(node)) return;
    seen.add(node);
    if (ts.isNewExpression(node) && node.expression.getText() === 'Refusal') {
      for (const code of this.#literals(node.arguments[0])) codes.add(code);
    }
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      for (const declaration of this.#declarationsOf(node)) this.#collect(declaration, codes, seen);
    }
    ts.forEachChild(node, (child) => this.#collect(child, codes, seen));
  }

  #declarationsOf(identifier) {
    const { checker } = this.#declared;
    const found = checker.getSymbolAtLocation(identifier);
    const isAlias = found !== undefined && (found.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = isAlias ? checker.getAliasedSymbol(found) : found;
    return (symbol?.declarations ?? []).filter((declaration) => {
      const isCode = ts.isFunctionLike(declaration) || ts.isClassDeclaration(declaration);
      return isCode && declaration.getSourceFile().fileName.includes('/service/ops/');
    });
  }

  #literals(expression) {
    const type = this.#declared.checker.getTypeAtLocation(expression);
    const types = type.isUnion() ? type.types : [type];
    return types.filter((it) => it.isStringLiteral()).map(({ value }) => value);
  }

  #symbol({ name }) {
    return this.#declared.checker.getSymbolAtLocation(name);
  }
}

/** One answer for each status; its codes are all that a client may meet there. */
export function refusalResponses(codes, catalogue, body = 'ErrorBody') {
  const byStatus = Map.groupBy(new Set(codes), (code) => catalogue[code].status);
  const statuses = [...byStatus].toSorted(([one], [other]) => one - other);
  return Object.fromEntries(
    statuses.map(([status, own]) => [status, refusal(status, own.toSorted(), body)]),
  );
}

const RETRY_AFTER = {
  description: 'Seconds until it is worth asking again.',
  schema: { type: 'integer', minimum: 1 },
};

function refusal(status, codes, body) {
  const [first, ...others] = codes;
  const code = others.length === 0 ? { const: first } : { enum: codes };
  const schema = {
    allOf: [{ $ref: `#/components/schemas/${body}` }, { properties: { code } }],
  };
  return {
    description: codes.join(', '),
    ...((status === 429 || status === 503) && { headers: { 'Retry-After': RETRY_AFTER } }),
    content: { 'application/json': { schema } },
  };
}

function replayed() {
  const answers = ['WakeAnswer', 'RunAnswer', 'DeliveryAnswer', 'HandledAnswer', 'SkippedAnswer'];
  const anyOf = answers.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return {
    200: {
      description: 'A new event: what its sender would be told.',
      content: { 'application/json': { schema: { anyOf } } },
    },
    204: { description: 'A new event: a transform had nothing to do.' },
  };
}

/** What the token of an operator has to allow (`ops.tokens`). */
function roleOf(method, verb) {
  const [role = verb === 'get' ? 'read' : undefined] =
    textsOf(method, 'Changes') ?? textsOf(method, 'Needs') ?? [];
  if (role === undefined) throw new Error(`${method.name.text} has no role: @Changes or @Needs`);
  return role;
}

/** Whether whatever the hooks refuse is passed on. */
function throwsRejections(method) {
  const tags = ts.getJSDocTags(method).filter(({ tagName }) => tagName.text === 'throws');
  return tags.some(({ comment }) => ts.getTextOfJSDocComment(comment)?.includes('Rejection'));
}

/** The arguments of a decorator as texts; undefined: it is not there. */
function textsOf(node, name) {
  const call = decoratorsOf(node).find((it) => it.expression.getText() === name);
  return call?.arguments.map((argument) =>
    ts.isStringLiteralLike(argument) ? argument.text : argument.getText(),
  );
}

function namesOf(node, name) {
  return textsOf(node, name) ?? [];
}

function decoratorsOf(node) {
  return (ts.getDecorators(node) ?? [])
    .map(({ expression }) => expression)
    .filter(ts.isCallExpression);
}

function callsIn(node, name) {
  const found = [];
  const visit = (inner) => {
    if (ts.isCallExpression(inner) && inner.expression.getText() === name) found.push(inner);
    ts.forEachChild(inner, visit);
  };
  visit(node);
  return found;
}

function notEmpty(key, list) {
  return list.length === 0 ? {} : { [key]: list };
}

function oneLine(text) {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function lowerFirst(text) {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}

function upperFirst(text) {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
