// Shows the service's own document with Scalar. Scalar shows descriptions and
// badges only, so what the document keeps in members of its own (stability,
// removal, the catalogue of errors) is put there first.
'use strict';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

const day = (date) =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString('en-GB', {
    day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC',
  });

const prepend = (text, thing) => {
  thing.description = [text, thing.description].filter(Boolean).join('\n\n');
};

const showLifecycle = (operation) => {
  const badges = [];
  const stability = operation['x-stability-level'];
  if (stability) badges.push({ name: stability });
  const sunset = operation['x-sunset'];
  if (sunset) {
    badges.push({ name: `removed on ${day(sunset)}` });
    const { operation: id, note } = operation['x-replacement'] ?? {};
    const instead = note ?? (id && `use \`${id}\``);
    prepend(
      `**Deprecated since ${day(operation['x-deprecated-since'])}, removed on ${day(sunset)}.**` +
        (instead ? ` Instead, ${instead}.` : ''),
      operation,
    );
  }
  if (badges.length) operation['x-badges'] = badges;
};

const LIMITS = {
  'body-bytes': (number) => `bodies of at most ${number} bytes`,
  'deadline-seconds': (number) => `at most ${number} seconds`,
  concurrency: (number) => `at most ${number} requests at the same time`,
  cost: (number) => `each request counts as ${number} of the rate limit`,
};

const showLimits = (operation) => {
  const limits = Object.entries(operation['x-limits'] ?? {});
  const words = limits.flatMap(([name, number]) => LIMITS[name]?.(number) ?? []);
  if (!words.length) return;
  const text = `**Limits:** ${words.join(', ')}.`;
  operation.description = [operation.description, text].filter(Boolean).join('\n\n');
};

const showParameter = (parameter) => {
  // Scalar would send the example of a parameter that nobody filled in.
  if (!parameter.required) delete parameter.example;
  const stability = parameter['x-stability-level'];
  if (stability) prepend(`**${stability}.**`, parameter);
};

// Scalar shows the schema of a whole body only.
const showStream = (response) => {
  for (const media of Object.values(response.content ?? {})) {
    const item = media.itemSchema ?? media['x-item-schema'];
    if (!item || media.schema) continue;
    media.schema = item;
    prepend('**A stream.** The schema is that of one item.', response);
  }
};

const showErrors = (content) => {
  const catalogue = content.components?.schemas?.Error?.properties?.code?.['x-error-catalogue'];
  if (!catalogue) return;
  // A list and no table: the columns of a table become too narrow for the codes.
  const entries = Object.entries(catalogue).map(
    ([code, { status, cause, cure }]) => `- \`${code}\` (${status}): ${cause} *${cure}*`,
  );
  content.info.description = [
    content.info.description, '## Errors', 'Each code with its status, its cause, and what to do:',
    entries.join('\n'),
  ].join('\n\n');
};

const start = async () => {
  const response = await fetch('{base}/openapi.json');
  if (!response.ok) throw new Error(`{base}/openapi.json: status ${response.status}`);
  const content = await response.json();
  for (const item of Object.values(content.paths)) {
    const operations = METHODS.map((method) => item[method]).filter(Boolean);
    operations.forEach(showLimits);
    operations.forEach(showLifecycle);
    operations.flatMap(({ responses }) => Object.values(responses ?? {})).forEach(showStream);
    [item, ...operations].flatMap((part) => part.parameters ?? []).forEach(showParameter);
  }
  Object.values(content.components?.parameters ?? {}).forEach(showParameter);
  Object.values(content.components?.responses ?? {}).forEach(showStream);
  showErrors(content);
  prepend('Served by {program} {version}.', content.info);
  Scalar.createApiReference('#app', {
    content,
    // Requests go where the page came from, whatever the document says.
    servers: [{ url: '{base}', description: 'This server' }],
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    defaultOpenAllTags: true,
    // A key that was typed in is forgotten with the page.
    persistAuth: false,
  });
};

start().catch((error) => {
  document.getElementById('app').textContent = `The API cannot be shown: ${error.message}`;
});
