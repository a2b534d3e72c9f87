import type { AdsdkError } from './error.js';

/** An ad, as `getAd` answers it and `render` shows it. */
export interface Ad {
  /** Creative identifier. */
  readonly id: string;
  /** Creative name: the ad's title. */
  readonly name: string;
  /** Ad copy. */
  readonly text: string | null;
  /** Absolute URL of the image. */
  readonly imageUrl: string | null;
  /** Absolute URL of the impression pixel; `render` loads it. */
  readonly impressionUrl: string;
  /** Absolute URL of the click-through redirect; the link of every clickable element. */
  readonly targetUrl: string;
  /** Probability, 0 to 1, that the ad is relevant to the context. */
  readonly score: number;
}

export interface Config {
  /** Public publisher key; starts with `pub_`. */
  readonly apiKey: string;
  /** The service's address, path included. Default: where the script came from, less `/sdk/adsdk.js`. */
  readonly baseUrl?: string | undefined;
  /** Milliseconds that a request may take, its retry included. Default 3000. */
  readonly timeout?: number | undefined;
}

/** The script's own words on an ad. One that is left out, or has no text, stays as it is built in. */
export interface Labels {
  /** Tells readers that it is an ad. `Ad` on an ad in English. */
  readonly ad?: string | undefined;
  /** The card's call to action: `Learn more`. */
  readonly learnMore?: string | undefined;
}

/** One set for ads in any language, or one for each: `{ de: { ad: 'Werbung' } }`, by BCP 47 tags such as `de` or `pt-BR`. */
export type LabelOptions = Labels | Readonly<Record<string, Labels>>;

export interface InitOptions extends Config {
  /** Other words than those built in, which are in the ad's language where the script knows it, else in English. */
  readonly labels?: LabelOptions | undefined;
}

/**
 * One turn of a conversation, as chat interfaces and their libraries keep it. Only the text of user and assistant is sent:
 * no system prompt, no tool's result, no picture.
 */
export interface Message {
  readonly role: 'user' | 'assistant' | 'system' | 'developer' | 'tool' | 'function';
  readonly content?: string | readonly MessagePart[] | null | undefined;
  /** Read where there is no `content`, as in a `UIMessage` of the AI SDK. */
  readonly parts?: readonly MessagePart[] | undefined;
}

/** A part of a message: text (type `text`, `input_text` or `output_text`), or another type, which is not sent. */
export interface MessagePart {
  readonly type: string;
  readonly text?: unknown;
}

/** A conversation, as `messages` where you have them, else as `context`. Its newest 40,000 characters are sent. */
export type MatchOptions = ({ readonly messages: readonly Message[] } | { readonly context: string }) & {
  /** The turns, oldest first. Sent instead of `context` where both are given: who said what need not be guessed. */
  readonly messages?: readonly Message[] | undefined;
  /** Conversation text: the history plus the current user input. */
  readonly context?: string | undefined;
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
};

export type Template = 'card' | 'native';
export type Position = 'inline' | 'suffix' | 'prefix';

export interface RenderOptions {
  /** `card` (default): image, title, text and call to action. `native`: one compact text link. */
  readonly template?: Template | undefined;
  /** `inline` (default) replaces the element's content, `suffix` appends to it, `prefix` prepends. */
  readonly position?: Position | undefined;
  /** BCP 47 tag of the ad's language, for an ad that this page did not request itself. */
  readonly language?: string | null | undefined;
}

export type ProcessOptions = MatchOptions & {
  /** Leave slots alone that show an ad, or that an earlier call found none for. Default false. */
  readonly onlyNew?: boolean | undefined;
  /** An ad was rendered; called once however many slots there are. */
  readonly onFill?: ((ad: Ad) => unknown) | undefined;
  /** No ad matches (with the server's reason, where it gives one), or the page has no slot (`no-slots`). */
  readonly onNoFill?: ((reason: string | null) => unknown) | undefined;
  /** The request failed. Not called for a request that was cancelled. */
  readonly onError?: ((error: AdsdkError) => unknown) | undefined;
};

/** What the script reports to the page, as DOM CustomEvents that bubble from the slot; from `document` where there is none. */
export interface AdsdkEventMap {
  'adsdk:fill': CustomEvent<Ad>;
  'adsdk:no-fill': CustomEvent<string | null>;
  'adsdk:error': CustomEvent<AdsdkError>;
  /** The impression URL was loaded: at the first rendering of its request id on the page. */
  'adsdk:impression': CustomEvent<Ad>;
  /** Half of the ad was in view for a second. */
  'adsdk:view': CustomEvent<Ad>;
  'adsdk:click': CustomEvent<Ad>;
}

/** The browser script. None of its functions throws, and none of its promises rejects. */
export interface Adsdk {
  /** Call it once, first. A further call replaces key, address and labels; the session stays. */
  init(config: InitOptions): void;
  /** The ad for a conversation; null when there is none, for whatever reason (`adsdk:no-fill`, `adsdk:error` say which). */
  getAd(options: MatchOptions): Promise<Ad | null>;
  /** Shows an ad in an element of the page; returns the element that holds it, or null when it could not. */
  render(ad: Ad | null, element: HTMLElement, options?: RenderOptions): HTMLElement | null;
  /**
   * Fetches one ad and renders it into every element with the attribute `data-adsdk-slot`. A newer call cancels the
   * one before it, of which no callback is called any more. Where there is no ad, slots lose the one they show; not where `signal` cancelled the call. Resolves to the ad that was rendered, or null.
   */
  process(options: ProcessOptions): Promise<Ad | null>;
  /** Takes the ads out of an element, or an element that `render` returned out of the page. */
  destroy(element: HTMLElement): void;
}

export type ClientMatchOptions = MatchOptions & {
  /** Identifies one person's requests for the frequency cap, where you have an anonymous id for that; sent as it is. */
  readonly sessionId?: string | undefined;
};

export interface Match {
  readonly ad: Ad | null;
  /** BCP 47 tag of the ad's language, where the server knows it. */
  readonly language: string | null;
  /** Why there is no ad, where the server says so. */
  readonly reason: string | null;
  /** Why there is no answer; null when there is one. */
  readonly error: AdsdkError | null;
}

/** The REST client. Its promises never reject. */
export interface Client {
  match(options: ClientMatchOptions): Promise<Match>;
  /** Records the impression, once you have displayed the ad. False: not recorded; you may try again, it counts once. */
  impression(ad: Ad, signal?: AbortSignal): Promise<boolean>;
}

declare global {
  interface Window {
    adsdk?: Adsdk;
  }
  interface GlobalEventHandlersEventMap extends AdsdkEventMap {}
}
