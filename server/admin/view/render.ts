import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';

/** Templates lie beside the sources: the compiler does not copy them. */
const DIRECTORY = fileURLToPath(new URL('../../../../server/admin/views/', import.meta.url));

/** Fills a template of `views/`. Everything is escaped but what a template inserts with `<%~`. */
export type Render = (view: string, data: object) => string;

export function createRender(): Render {
  const eta = new Eta({ views: DIRECTORY, cache: true, autoEscape: true, autoTrim: false });
  return (view, data) => eta.render(`./${view}`, data);
}
