import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';

/** Fills a template. Everything is escaped but what a template inserts with `<%~`. */
export type Render = (view: string, data: object) => string;

/**
 * For the templates of one folder, each of which is read once.
 *
 * @param folder below `server/`, such as `admin/views`; templates lie beside the sources: the compiler does not copy them
 */
export function createRender(folder: string): Render {
  const views = fileURLToPath(new URL(`../../../server/${folder}/`, import.meta.url));
  const eta = new Eta({ views, cache: true, autoEscape: true, autoTrim: false });
  return (view, data) => eta.render(`./${view}`, data);
}
