import Table from 'cli-table3';
import { printable } from '../../../platform/text/printable.js';
import type { ExplainedCreative, Explanation } from '../../explain/explanation.js';
import { FLOOR_SOURCES, languageInWords, needInWords } from '../../explain/in-words.js';

/**
 * Formats an explanation for a terminal: the conversation as read, floor, filters, the most relevant creatives, and the
 * result.
 */
export function asText(explanation: Explanation): string {
  const { outcome, rows, catalogue, floor, keptOut } = explanation;
  const lines = [
    ...readLines(explanation.read),
    `gate         ${gateVerdict(explanation.gate)}`,
    `floor        ${floor.value.toFixed(3)}, ${FLOOR_SOURCES[floor.from]}`,
    `catalogue    ${catalogue === null ? 'none' : `${printable(catalogue.name)}, ${catalogue.creatives} creatives (${catalogue.id})`}`,
    `kept out     ${listed(keptOut)}`,
    ...(rows.length === 0 ? [] : ['', table(rows, outcome.filled ? outcome.creativeId : null), LEGEND]),
    '',
    `${outcome.filled ? 'AD' : `NO AD, ${outcome.reason}`}: ${printable(outcome.because)}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** What is said of an ad whose campaign has a budget. */
export const BUDGETS_NOT_CHECKED =
  'Its campaign has a budget; budgets and pacing are not checked here. The dashboard’s page "Why this ad" checks them,\n' +
  'and npm run campaigns -- list shows what is spent.\n';

function readLines({ from, language, turns, whole, last, advertisable }: Explanation['read']): string[] {
  const alone = turns.length === 1;
  return [
    `read         ${turns.length} ${alone ? 'turn' : 'turns'} from ${from}; the newest lines:`,
    ...whole
      .split('\n')
      .slice(-NEWEST_LINES)
      .map((line) => `             ${printable(line, LINE)}`),
    ...(alone ? [] : [`last turn    ${printable(last, LINE)}`]),
    `language     ${languageInWords(language)}`,
    ...(advertisable === null ? [] : [`need         ${needInWords(advertisable)}`]),
  ];
}

function gateVerdict({ sensitive, topic, probability }: Explanation['gate']): string {
  const odds = probability === null ? 'explicit words only' : `probability ${probability.toFixed(3)}`;
  return `${sensitive ? 'sensitive' : 'open'}, ${odds}${sensitive && topic !== null ? `, ${topic}` : ''}`;
}

const LEGEND =
  'similarity: cosine of conversation and creative; words: what shared rare words add; relevance: their sum, the order;\n' +
  'mass: share of the ranking on creatives like this one; overlap: share of the conversation’s rare words that it has;\n' +
  'score: probability that it is right here, compared with the floor; filter: what excludes it now';

const NEWEST_LINES = 8;
const LINE = 110;
const NAME = 34;

function table(rows: readonly ExplainedCreative[], winner: string | null): string {
  const right = 'right' as const;
  const out = new Table({
    head: ['', 'creative', 'similarity', 'words', 'relevance', 'mass', 'overlap', 'score', 'filter'],
    colAligns: [right, 'left', right, right, right, right, right, right, 'left'],
    style: { head: [], border: [], compact: true },
  });
  for (const { place, id, name, filter, score, ...figures } of rows) {
    const { similarity, lexical, relevance, mass, overlap } = figures;
    const verdict = filter ?? (id === winner ? 'served' : '');
    const numbers = [similarity, lexical, relevance, mass, overlap].map((value) => value.toFixed(3));
    const creative = `${printable(name, NAME)} (${printable(id, NAME)})`;
    out.push([place ?? '', creative, ...numbers, score.toFixed(3), verdict]);
  }
  return out.toString();
}

function listed(counts: Explanation['keptOut']): string {
  const entries = Object.entries(counts);
  return entries.length === 0 ? 'none' : entries.map(([filter, count]) => `${count} ${filter}`).join(', ');
}
