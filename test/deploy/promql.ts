/** A metric that an expression reads, and the labels that it compares. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

/** The names in a Prometheus expression. */
export interface Names {
  readonly selectors: readonly Selector[];
  /** Labels by which it groups or joins. */
  readonly labels: readonly string[];
}

const TOKEN = /"(?:[^"\\]|\\.)*"|\$\w+|[a-zA-Z_:][\w:]*|\d[\w.]*|=~|!~|!=|[^\s]/g;
const GROUPING = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const OPERATORS = new Set(['and', 'or', 'unless', 'offset', 'bool', 'inf', 'nan']);

/** Returns the names in an expression. Supports only as much of PromQL as the rules and the dashboard use. */
export function namesIn(expression: string): Names {
  const tokens: readonly string[] = expression.match(TOKEN) ?? [];
  const selectors: Selector[] = [];
  const labels: string[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    const next = tokens[at + 1];
    if (!/^[a-zA-Z_:]/.test(token) || OPERATORS.has(token.toLowerCase())) continue;
    if (GROUPING.has(token)) {
      const end = tokens.indexOf(')', at);
      labels.push(...tokens.slice(at + 2, end).filter((each) => each !== ','));
      at = end;
    } else if (next !== '(' && !GROUPING.has(next ?? '')) {
      const end = next === '{' ? tokens.indexOf('}', at) : at;
      selectors.push({ metric: token, matchers: matchersIn(tokens.slice(at + 2, Math.max(end, at + 2))) });
      at = end;
    }
  }
  return { selectors, labels };
}

function matchersIn(tokens: readonly string[]): Selector['matchers'] {
  const parts = tokens.filter((token) => token !== ',');
  return Array.from({ length: parts.length / 3 }, (_, number) => {
    const [label = '', operator = '', value = '""'] = parts.slice(number * 3, number * 3 + 3);
    return { label, operator, value: value.slice(1, -1) };
  });
}
