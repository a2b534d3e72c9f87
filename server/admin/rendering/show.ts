import type { Context } from 'koa';
import type { Render } from '../../templates/render.js';
import { decimalsOf } from '../../invoice/payable.js';
import { format } from './format.js';

/** A notice that one page shows once: a new key, which only the page of keys shows, or the result of a change. */
export type Notice =
  | { readonly kind: 'key'; readonly id: string; readonly publisher: string; readonly key: string }
  | { readonly kind: 'done' | 'failed'; readonly text: string };

/** The part of a session that pages use. */
export interface PageSession {
  /** Identifies the session in the audit log; gives no access. */
  readonly id: string;
  /** Identifies the access token that it was opened with; gives no access. */
  readonly tokenId: string;
  /** Included in every form of this session, and unknown to others. */
  readonly formToken: string;
  /** In the order of the changes; a form that was sent twice leaves two. */
  notices: readonly Notice[];
}

/** What a request with a session has; nothing without one. */
interface PageState {
  readonly session?: PageSession;
  readonly operator?: { readonly name: string; readonly role: string; readonly party: object | null };
  readonly may?: (method: string, page: string) => boolean;
}

/** Adds a notice for the next page. */
export function addNotice(session: PageSession, notice: Notice): void {
  session.notices = [...session.notices, notice];
}

/** Responds with a page: a view of `views/`, with what every page needs besides its own data. */
export type Show = (ctx: Context, view: string, data: PageData) => void;

export interface PageData {
  readonly title: string;
  /** The entry of the navigation that it belongs to. */
  readonly navEntry?: string;
  /** The traffic that it shows; absent: none. */
  readonly traffic?: Traffic;
  readonly [name: string]: unknown;
}

/** The traffic of test keys, or all other traffic. The two are never added up. */
export interface Traffic {
  readonly test: boolean;
  /** The address's `test` parameter that keeps this traffic; empty: none. */
  readonly parameter: '' | '0' | '1';
  /** Address of the same page with the other traffic. */
  readonly otherHref: string;
  /** Whether test traffic is shown because there is no other yet. */
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
  const decimals = decimalsOf(currency);
  return (ctx, view, data) => {
    const { session, operator, may } = ctx.state as PageState;
    // Whoever was an operator before, and is an advertiser or publisher now, must not read of earlier changes.
    const notices = operator?.party === null ? (session?.notices ?? []) : [];
    const shownNotices = notices.filter(({ kind }) => kind !== 'key' || view === 'keys');
    if (session !== undefined && shownNotices.length > 0)
      session.notices = session.notices.filter((notice) => !shownNotices.includes(notice));
    // The choice of traffic is kept from one page to the next.
    const kept = { test: data.traffic?.parameter ?? '' };
    const frame = {
      navEntry: '',
      traffic: null,
      ...data,
      notices: shownNotices,
      formToken: session?.formToken ?? null,
      operator: operator ?? null,
      // Pages offer only what the operator may do.
      may: may ?? (() => false),
      timeZone,
      currency,
      f: {
        ...format,
        moment: (at: number | string) => format.moment(at, timeZone),
        money: (micros: bigint | null) => format.money(micros, decimals),
      },
      asset: (file: string) => `${path}/assets/${file}`,
      url: (page: string, query: Readonly<Record<string, string>> = {}) => hrefOf(path + page, { ...kept, ...query }),
    };
    ctx.type = 'html';
    ctx.body = render(view, frame);
  };
}

/** Returns an address with a query, without empty parameters. */
export function hrefOf(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '');
  const search = new URLSearchParams(given).toString();
  return search === '' ? path : `${path}?${search}`;
}
