/** What a page of metrics has: for each sample's name its labels, and for each of those the values seen. */
export type MetricsPage = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** Reads the text format of Prometheus. A metric of which nothing was counted yet has no labels. */
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
