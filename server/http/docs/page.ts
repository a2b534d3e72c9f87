import { createHash } from 'node:crypto';
import type { Middleware } from 'koa';
import { html, type Html } from './html.js';
import type { OpenApi } from './openapi.js';
import type { Answer, Operation } from './paths.js';
import { STYLE } from './style.js';

/**
 * `GET /docs`: the contract for people. Plain HTML made once from the OpenAPI document, with no script and nothing from
 * elsewhere, so that it works under the strictest policy.
 */
export function docsPage(contract: OpenApi): Middleware {
  const page = String(render(contract));
  const style = createHash('sha256').update(STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return (ctx) => {
    ctx.set('Cache-Control', 'no-cache');
    ctx.set('Content-Security-Policy', policy);
    ctx.type = 'html';
    ctx.body = page;
  };
}

function render({ info, servers, paths, components }: OpenApi): Html {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const base = servers[0]?.url ?? '';
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${info.title} API</title>
        ${html.raw(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <header>
          <h1>${info.title} API</h1>
          <p>${info.description}</p>
          <p>Base address: <code>${base}</code> · <a href="openapi.json">OpenAPI 3.1 document</a></p>
        </header>
        <nav aria-label="Paths">
          <ul>
            ${operations.map(
              ({ path, method, operation }) =>
                html`<li>
                  <a href="#${operation.operationId}"><b>${method.toUpperCase()}</b> ${path}</a>
                </li>`,
            )}
          </ul>
        </nav>
        <main>
          ${operations.map(({ path, method, operation }) => section(path, method, operation))}
          <h2>Objects</h2>
          ${Object.entries(components.schemas).map(
            ([name, schema]) =>
              html`<section id="${name}">
                <h3>${name}</h3>
                ${json(schema)}
              </section>`,
          )}
        </main>
      </body>
    </html> `;
}

function section(path: string, method: string, operation: Operation): Html {
  const { operationId, summary, description, security, parameters, requestBody, responses } = operation;
  return html`<section id="${operationId}">
    <h2>${summary}</h2>
    <p class="path"><b>${method.toUpperCase()}</b> <code>${path}</code></p>
    ${description === undefined ? '' : html`<p>${description}</p>`}
    ${security === undefined ? '' : html`<p>Needs a publisher key in the header <code>x-api-key</code>.</p>`}
    ${
      parameters === undefined
        ? ''
        : table(
            ['Parameter', 'In', 'Meaning'],
            parameters.map(({ name, in: place, required, description: meaning }) => [
              html`<code>${name}</code>`,
              place + (required === true ? ', required' : ''),
              meaning,
            ]),
          )
    }
    ${requestBody === undefined ? '' : html`<p>Body: JSON, <a href="#MatchRequest">MatchRequest</a>.</p>`}
    ${table(
      ['Status', 'Meaning', 'Body', 'Headers'],
      Object.entries(responses).map(([status, answer]) => [
        status,
        answer.description,
        bodyOf(answer),
        headersOf(answer),
      ]),
    )}
  </section>`;
}

function bodyOf({ content = {} }: Answer): Html {
  return html`${Object.entries(content).map(([type, { schema }]) => {
    const name = (schema as { $ref?: string }).$ref?.split('/').at(-1);
    return name === undefined ? html`<div>${type}</div>` : html`<div><a href="#${name}">${name}</a></div>`;
  })}`;
}

function headersOf({ headers = {} }: Answer): Html {
  return html`${Object.entries(headers).map(([name, { description }]) => html`<div><code>${name}</code>: ${description}</div>`)}`;
}

function table(head: readonly string[], rows: readonly (readonly (string | Html)[])[]): Html {
  return html`<div class="table">
    <table>
      <thead>
        <tr>
          ${head.map((cell) => html`<th scope="col">${cell}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function json(value: object): Html {
  return html`<pre tabindex="0"><code>${html.raw(html.escape(JSON.stringify(value, null, 2)))}</code></pre>`;
}
