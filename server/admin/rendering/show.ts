import type { Context } from 'koa';
import type { Render } from '../../templates/render.js';
import { format } from './format.js';

/** What a page says once: a key just made (the page of keys alone says it), what a change has done. */
export type Notice =
  | { readonly kind: 'key'; readonly id: string; readonly publisher: string; readonly key: string }
  | { readonly kind: 'done' | 'failed'; readonly text: string };

/** Of someone who is signed in, what a page shows. */
export interface PageSession {
  /** Names it in the audit log; opens nothing. */
  readonly id: string;
  /** Stands in every form of this session and in nobody else's. */
  readonly formToken: string;
  /** In the order of what was done; a form that was sent twice leaves two. */
  notices: readonly Notice[];
}

/** Has the next page say it, behind what it is to say already. */
export function tell(session: PageSession, notice: Notice): void {
  session.notices = [...session.notices, notice];
}

/** Answers a page: a view of `views/`, with what every page needs beside its own data. */
export type Show = (ctx: Context, view: string, data: PageData) => void;

export interface PageData {
  readonly title: string;
  /** Which entry of the navigation it belongs to. */
  readonly place?: string;
  /** Whose traffic it shows; absent: it shows none. */
  readonly traffic?: Traffic;
  readonly [name: string]: unknown;
}

/** Test keys' traffic or all other. The two are never added up. */
export interface Traffic {
  readonly test: boolean;
  /** What an address says to stay with it; empty: nothing. */
  readonly parameter: '' | '0' | '1';
  /** The same page with the other traffic. */
  readonly otherHref: string;
  /** Test traffic is shown because there is no other yet. */
  readonly chosenForYou: boolean;
}

export interface ShowOptions {
  readonly render: Render;
  /** Path of the dashboard, without a slash at the end. */
  readonly path: string;
  readonly timeZone: string;
  readonly currency: string;
}

export function createShow({ render, path, timeZone, currency }: ShowOptions): Show {
  return (ctx, view, data) => {
    const { session } = ctx.state as { readonly session?: PageSession };
    const said = (session?.notices ?? []).filter(({ kind }) => kind !== 'key' || view === 'keys');
    if (session !== undefined && said.length > 0)
      session.notices = session.notices.filter((notice) => !said.includes(notice));
    // What stays from one page to the next is whose traffic one looks at.
    const kept = { test: data.traffic?.parameter ?? '' };
    const frame = {
      place: '',
      traffic: null,
      ...data,
      notices: said,
      formToken: session?.formToken ?? null,
      timeZone,
      currency,
      f: { ...format, moment: (at: number | string) => format.moment(at, timeZone) },
      asset: (file: string) => `${path}/assets/${file}`,
      url: (page: string, query: Readonly<Record<string, string>> = {}) => hrefOf(path + page, { ...kept, ...query }),
    };
    ctx.type = 'html';
    ctx.body = render(view, frame);
  };
}

/** An address with a query; what is empty is left out. */
export function hrefOf(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '');
  const search = new URLSearchParams(given).toString();
  return search === '' ? path : `${path}?${search}`;
}
