import type { Turn } from '../../../models/encoder/encoder.js';
import { TEXT_PARTS } from '../../../models/schema/match-request.js';
import { MAX_TURNS } from './max-turns.js';
import { isPlainJson } from './plain-json.js';
import { speakerOf } from './speakers.js';

/**
 * Parses a transcript sent as JSON text: a list of messages, an object that holds one, or one message per line. Of
 * many messages the newest `MAX_TURNS` are read.
 *
 * @returns null when the text is not such a transcript
 */
export function readJsonTranscript(text: string): Turn[] | null {
  if (!/^\s*[[{]/.test(text) || !isPlainJson(text)) return null;
  const parsed = parse(text) ?? parseLines(text);
  const messages = Array.isArray(parsed) ? parsed : listIn(parsed);
  if (messages === null || messages.length === 0) return null;
  const turns = messages.slice(-MAX_TURNS).map(toTurn);
  return turns.every((turn) => turn !== null) ? turns : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function parseLines(text: string): unknown[] | undefined {
  const parsed: unknown[] = [];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  for (const line of lines.slice(-MAX_TURNS)) {
    const message = line.trim();
    const value = message.startsWith('{') ? parse(message.replace(/,$/, '')) : undefined;
    if (value === undefined) return undefined;
    parsed.push(value);
  }
  return parsed;
}

function listIn(value: unknown): unknown[] | null {
  if (!isRecord(value)) return null;
  const list = value['messages'] ?? value['conversation'] ?? value['history'] ?? [value];
  return Array.isArray(list) ? list : null;
}

/** Converts a message that uses the field names of the usual interfaces. */
function toTurn(value: unknown): Turn | null {
  if (!isRecord(value)) return null;
  const role = value['role'] ?? value['from'] ?? value['speaker'] ?? value['author'];
  const content = value['content'] ?? value['text'] ?? value['value'] ?? value['message'];
  if (content === undefined) return null;
  return { speaker: speakerOf(typeof role === 'string' ? role : 'user'), text: textOf(content) };
}

/**
 * Returns the text of a message's content. Of content in parts, only text parts count: no images, tool calls or
 * reasoning.
 */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map(partOf).filter(Boolean).join(' ') : partOf(content);
}

function partOf(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isRecord(part) || typeof part['text'] !== 'string') return '';
  return TEXT_PARTS.some((type) => type === (part['type'] ?? 'text')) ? part['text'] : '';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
