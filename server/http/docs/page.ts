import { createHash } from 'node:crypto';
import type { Middleware } from 'koa';
import { createRender } from '../../templates/render.js';
import type { OpenApi } from './openapi.js';
import type { ResponseObject } from './paths.js';

/**
 * `GET /docs`: serves the contract as a readable page. It is plain HTML, rendered once from the OpenAPI document. It
 * has no script and loads nothing else, so it works under the strictest Content-Security-Policy, which names the digest
 * of the page's style.
 */
export function docsPage({ info, servers, paths, components }: OpenApi): Middleware {
  const render = createRender('http/docs/views');
  const style = render('style', {});
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
      answers: Object.entries(operation.responses).map(([status, answer]) => ({ status, ...answerOf(answer) })),
    })),
  );
  const text = render('docs', { info, base: servers[0]?.url ?? '', style, operations, schemas: components.schemas });
  const page = Buffer.from(text);
  const digest = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return (ctx) => {
    ctx.set('Cache-Control', 'no-cache');
    ctx.set('Content-Security-Policy', policy);
    ctx.type = 'html';
    ctx.body = page;
  };
}

function answerOf({ description, content = {}, headers = {} }: ResponseObject) {
  return {
    description,
    bodies: Object.entries(content).map(([type, { schema }]) => ({
      type,
      schema: (schema as { $ref?: string }).$ref?.split('/').at(-1),
    })),
    headers: Object.entries(headers).map(([name, header]) => ({ name, description: header.description })),
  };
}
