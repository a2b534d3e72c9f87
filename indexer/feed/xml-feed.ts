import { setImmediate as nextTurn } from 'node:timers/promises';
import sax from 'sax';
import { type FeedEntries, type FeedEntry, type FeedFault, MAX_ROWS, TOO_MANY_ROWS } from './feed-entry.js';

/** Elements that hold a row: those of RSS, and of Atom. */
const ROWS: ReadonlySet<string> = new Set(['item', 'entry']);
/** The prefix of Google's elements, which RSS and Atom have besides their own. */
const GOOGLE = 'g:';
/** Characters parsed between two turns of the event loop. */
const CHARACTERS_AT_ONCE = 256 * 1024;
/** Characters kept of a value; no field may have as many. */
const MAX_VALUE = 64 * 1024;
/** sax keeps reading a tag, comment or entity beyond its limit of 64 KiB: 60 MB of one took 2.3 GB of memory. */
const TOO_LONG = /^max buffer length/i;
/** Closing tags are compared with every open element, so deep nesting would take quadratic time. */
const MAX_DEPTH = 100;
/** Faults after which a file is not read further. */
const MAX_FAULTS = 10_000;

const CUT_SHORT = 'the file ends within an element, and seems to be cut short; fetch it again';

/**
 * Reads a product feed in RSS or Atom: each `item` or `entry` is a row of the texts of its own elements, by name without
 * `g:`. Of elements that are repeated the first counts, and of `title` and `g:title` the latter. Entities that the file
 * itself declares are not expanded, and nothing it names is fetched.
 */
export async function readXml(lines: readonly string[]): Promise<FeedEntries> {
  const rows = new XmlRows();
  let waiting = 0;
  for (const [at, line] of lines.entries()) {
    for (let from = 0; from <= line.length; from += CHARACTERS_AT_ONCE) {
      const piece = line.slice(from, from + CHARACTERS_AT_ONCE);
      if (!rows.write(from + piece.length === line.length ? `${piece}\n` : piece, at + 1)) return rows.end();
      waiting += piece.length;
      if (waiting < CHARACTERS_AT_ONCE) continue;
      waiting = 0;
      await nextTurn();
    }
  }
  return rows.end();
}

/** A row whose element is open. */
interface OpenRow {
  readonly line: number;
  readonly depth: number;
  readonly cells: Record<string, string>;
  readonly fromGoogle: Set<string>;
  fault: string | null;
}

class XmlRows {
  readonly #entries: FeedEntry[] = [];
  readonly #parser = sax.parser(true);
  #line = 1;
  #depth = 0;
  #faults = 0;
  #row: OpenRow | null = null;
  /** The element of the open row whose text is being read. */
  #element: { readonly name: string; readonly href: string; text: string } | null = null;
  #fatal: FeedFault | null = null;
  #isEnding = false;

  constructor() {
    const add = (text: string): void => this.#add(text);
    Object.assign(this.#parser, {
      onopentag: ({ name, attributes }: sax.Tag) => this.#open(name, addressIn(attributes)),
      onclosetag: () => this.#close(),
      ontext: add,
      oncdata: add,
      onerror: ({ message }: Error) => {
        if (TOO_LONG.test(message)) this.#refuse('has a tag, comment or entity of more than 64 KiB');
        this.#report(message.split('\n')[0]!.replace(/\.$/, '').toLowerCase());
        // Otherwise the parser would throw at its next piece: a fault costs its row, as in other formats.
        Object.assign(this.#parser, { error: null });
      },
    });
  }

  /** Parses a piece of a line. Returns false if the rest of the file cannot be used. */
  write(piece: string, line: number): boolean {
    this.#line = line;
    this.#parse(() => this.#parser.write(piece));
    return this.#fatal === null;
  }

  end(): FeedEntries {
    this.#isEnding = true;
    if (this.#fatal === null) this.#parse(() => this.#parser.close());
    if (this.#fatal === null && this.#entries.length === 0) {
      this.#parse(() => this.#refuse('has no <item> and no <entry>; expected a product feed in RSS 2.0 or Atom'));
    }
    return { entries: this.#entries, fatal: this.#fatal === null ? [] : [this.#fatal], unknown: new Map() };
  }

  #parse(parse: () => void): void {
    try {
      parse();
    } catch (error) {
      if (this.#fatal === null) throw error;
    }
  }

  #open(name: string, href: string): void {
    this.#depth++;
    if (this.#depth > MAX_DEPTH) this.#refuse(`has elements within more than ${MAX_DEPTH} others`);
    if (this.#row === null && ROWS.has(name)) {
      const cells = Object.create(null) as Record<string, string>;
      this.#row = { line: this.#line, depth: this.#depth, cells, fromGoogle: new Set(), fault: null };
    } else if (this.#row?.depth === this.#depth - 1) {
      this.#element = { name, href, text: '' };
    }
  }

  #add(text: string): void {
    if (this.#element !== null && this.#element.text.length < MAX_VALUE) this.#element.text += text;
  }

  #close(): void {
    this.#depth--;
    const row = this.#row;
    if (row === null) return;
    if (this.#depth === row.depth && this.#element !== null) {
      store(row, this.#element.name, this.#element.text.trim() || this.#element.href);
      this.#element = null;
    } else if (this.#depth === row.depth - 1) {
      if (this.#entries.length === MAX_ROWS) this.#refuse(TOO_MANY_ROWS);
      const { line, cells, fault } = row;
      const entry = { line, lastLine: this.#line };
      this.#entries.push(
        fault === null ? { ...entry, value: cells } : { ...entry, fault: { field: '', message: fault } },
      );
      this.#row = null;
    }
  }

  #report(message: string): void {
    if (++this.#faults > MAX_FAULTS) this.#refuse(`has more than ${MAX_FAULTS.toLocaleString('en')} faults`);
    else if (this.#isEnding) this.#refuse(CUT_SHORT);
    else if (this.#row === null) this.#refuse(`is not valid XML: ${message}`);
    else this.#row.fault ??= `is not valid XML: ${message} (line ${this.#line})`;
  }

  /** @throws Error, so that the parser stops at once: each further fault would cost time */
  #refuse(message: string): never {
    this.#fatal = { position: { line: this.#line }, field: '', message };
    throw new Error(message);
  }
}

/** Returns the address that Atom has in an attribute. */
function addressIn({ rel, href }: Readonly<Record<string, unknown>>): string {
  return typeof href === 'string' && (rel === undefined || rel === 'alternate') ? href : '';
}

function store({ cells, fromGoogle }: OpenRow, element: string, value: string): void {
  const isGoogles = element.startsWith(GOOGLE);
  const name = isGoogles ? element.slice(GOOGLE.length) : element;
  if (value === '' || name.includes(':') || fromGoogle.has(name)) return;
  if (isGoogles) fromGoogle.add(name);
  else if (name in cells) return;
  cells[name] = value.slice(0, MAX_VALUE);
}
