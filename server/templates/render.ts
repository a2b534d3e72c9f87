import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';

/** Renders a template. Everything is escaped except what the template inserts with `<%~`. */
export type Render = (view: string, data: object) => string;

/**
 * Returns a renderer for the templates of one folder. Each template is read once.
 *
 * @param folder below `server/`, such as `admin/views`; templates are next to the sources, since the compiler does not
 * copy them
 */
export function createRender(folder: string): Render {
  const views = fileURLToPath(new URL(`../../../server/${folder}/`, import.meta.url));
  const eta = new Eta({ views, cache: true, autoEscape: true, autoTrim: false });
  return (view, data) => eta.render(`./${view}`, data);
}
