import { parseSync } from 'oxc-parser';

/** One mutation: replaces the text from `start` to `end` (UTF-16 offsets). */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** A node of the syntax tree (ESTree), with the fields used here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Returns every mutation of a JavaScript file, in order of position. */
export function mutationsOf(file: string, source: string): Mutation[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]!.message}`);
  const found: Mutation[] = [];
  visit(program as unknown as Node, (node) => {
    const text = (part: unknown): string => source.slice((part as Node).start, (part as Node).end);
    const mutations = MUTATIONS[node.type];
    if (mutations === undefined) return;
    for (const replacement of mutations(node, text)) found.push({ start: node.start, end: node.end, replacement });
  });
  return found.toSorted((one, other) => one.start - other.start || one.end - other.end);
}

type Mutations = (node: Node, text: (part: unknown) => string) => readonly string[];

const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&': '|',
  '|': '&',
  '&&': '||',
  '||': '&&',
  '+=': '-=',
  '-=': '+=',
};

/** The replacement texts for a node, by its type. */
const MUTATIONS: Readonly<Record<string, Mutations>> = {
  IfStatement: (node, text) => [
    `if (!(${text(node['test'])})) ${text(node['consequent'])}${node['alternate'] === null ? '' : ` else ${text(node['alternate'])}`}`,
  ],
  ConditionalExpression: (node, text) => [
    `(${text(node['test'])}) ? ${text(node['alternate'])} : ${text(node['consequent'])}`,
  ],
  BinaryExpression: withOtherOperator,
  LogicalExpression: (node, text) =>
    node['operator'] === '??' ? [`(${text(node['left'])})`] : withOtherOperator(node, text),
  AssignmentExpression: withOtherOperator,
  UpdateExpression: (node, text) => [`${text(node['argument'])}${node['operator'] === '++' ? '--' : '++'}`],
  ExpressionStatement: (node) => (CALLS.has((node['expression'] as Node).type) ? [';'] : []),
  AwaitExpression: (node, text) => [`(${text(node['argument'])})`],
  ReturnStatement: (node, text) =>
    node['argument'] === null || text(node['argument']) === 'undefined' ? [] : ['return undefined;'],
  ArrowFunctionExpression: (node, text) => {
    const body = node['body'] as Node;
    const empty = body.type === 'BlockStatement' || /^(undefined|null|void 0)$/.test(text(body));
    return empty
      ? []
      : [
          text(node)
            .slice(0, body.start - node.start)
            .replace(/\($/, '') + 'undefined',
        ];
  },
  Literal: (node) => (typeof node['value'] === 'boolean' ? [String(!node['value'])] : []),
};

const CALLS = new Set(['CallExpression', 'AwaitExpression', 'ChainExpression', 'UpdateExpression']);

function withOtherOperator(node: Node, text: (part: unknown) => string): readonly string[] {
  const { operator, left, right } = node as unknown as { operator: string; left: Node; right: Node };
  const other = OPERATORS[operator];
  const joinsText = operator === '+' && [left, right].some((part) => isText(part));
  return other === undefined || joinsText ? [] : [`${text(left)} ${other} ${text(right)}`];
}

function isText({ type, value }: Node): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string');
}

function visit(node: Node, look: (node: Node) => void): void {
  look(node);
  for (const part of Object.values(node)) {
    for (const child of Array.isArray(part) ? part : [part]) {
      if (typeof child === 'object' && child !== null && 'type' in child) visit(child as Node, look);
    }
  }
}
