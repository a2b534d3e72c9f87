/** The content of a metrics page: the labels of each sample name, and the values seen of each label. */
export type MetricsPage = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** Parses Prometheus' text format. A metric without counts yet has no labels. */
export function readMetricsPage(text: string): MetricsPage {
  const page = new Map<string, Map<string, Set<string>>>();
  for (const line of text.split('\n')) {
    const [, name = '', labels = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name === '') continue;
    const known = page.get(name) ?? new Map<string, Set<string>>();
    page.set(name, known);
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      known.set(label, (known.get(label) ?? new Set()).add(value));
    }
  }
  return page;
}
