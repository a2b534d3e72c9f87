import type { AdsdkError } from './error.js';

/** An ad, as `getAd` returns it and `render` shows it. */
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
  /** Who is behind the ad and why it is shown; present if `init` or `createClient` was given `disclosure: true`. */
  readonly disclosure?: Disclosure;
}

/** What EU law (Digital Services Act, article 26) requires a page to say about an ad, besides that it is one. */
export interface Disclosure {
  /** On whose behalf the ad is shown; null: the feed names nobody. */
  readonly advertiser: string | null;
  /** Who pays for it, if that is somebody else. */
  readonly payer: string | null;
  /** The question `Why this ad?`, in the language of the texts. */
  readonly title: string;
  /** The answer: how the ad was chosen, and who pays for it if that is not the advertiser. */
  readonly text: string;
  /** BCP 47 tag of title and text: the ad's language, or English. */
  readonly language: string;
}

/** An ad as the service's response has it: `render` also accepts one without a score, which then is 0 in events. */
export type RawAd = Omit<Ad, 'score'> & { readonly score?: number };

export interface Config {
  /** Public publisher key; starts with `pub_`. */
  readonly apiKey: string;
  /** The service's URL, with its path if it has one. Default: the script's URL without `/sdk/adsdk.js`. */
  readonly baseUrl?: string | undefined;
  /** Max time for a request in milliseconds, including its retry. Default 3000. */
  readonly timeout?: number | undefined;
  /** Request each ad's disclosure; the script then also displays it. Default false. */
  readonly disclosure?: boolean | undefined;
}

/** The configuration of the REST client. */
export interface ClientConfig extends Omit<Config, 'baseUrl'> {
  /** The service's URL, with its path if it has one: absolute, with http or https. */
  readonly baseUrl: string | URL;
}

/** The labels that the script adds to an ad. A label that is omitted or has no text keeps its built-in value. */
export interface Labels {
  /** Marks the ad as an ad. `Ad` on an ad in English. */
  readonly ad?: string | undefined;
  /** The card's call to action: `Learn more`. */
  readonly learnMore?: string | undefined;
}

/**
 * One set of labels for ads in any language, or one per language: `{ de: { ad: 'Werbung' } }`, by BCP 47 tags such as
 * `de` or `pt-BR`.
 */
export type LabelOptions = Labels | Readonly<Record<string, Labels>>;

export interface InitOptions extends Config {
  /** Replaces built-in labels, which are in the ad's language if the script has labels for it, else in English. */
  readonly labels?: LabelOptions | undefined;
}

/**
 * One turn of a conversation, in the format of chat interfaces and their libraries. Only the text of user and assistant
 * is sent: no system prompt, no tool result, no image.
 */
export interface Message {
  readonly role: 'user' | 'assistant' | 'system' | 'developer' | 'tool' | 'function' | 'data';
  readonly content?: string | readonly MessagePart[] | null | undefined;
  /** Used if there is no `content`, or it is empty, as in the messages of the AI SDK. */
  readonly parts?: readonly MessagePart[] | undefined;
}

/** A part of a message: text (type `text`, `input_text` or `output_text`), or any other type, which is not sent. */
export interface MessagePart {
  readonly type: string;
  readonly text?: unknown;
}

/** A conversation, as `messages` if you have them, else as `context`. Its newest 40,000 characters are sent. */
export type MatchOptions = ({ readonly messages: readonly Message[] } | { readonly context: string }) & {
  /** The turns, oldest first. Sent instead of `context` if both are given, since they name the speakers. */
  readonly messages?: readonly Message[] | undefined;
  /** Conversation text: the history plus the current user input. */
  readonly context?: string | undefined;
  /** Ads that are not wanted for this request. */
  readonly exclude?: Exclude | undefined;
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
};

/** Ads that a request does not want, besides those that the publisher blocks. */
export interface Exclude {
  /** No ad of these categories, in upper or lower case; at most 100. */
  readonly categories?: readonly string[] | undefined;
  /** No ad of these advertisers, in upper or lower case, nor any that they pay for; at most 100. */
  readonly advertisers?: readonly string[] | undefined;
  /** None of these ads, by their `id`; at most 1,000. */
  readonly creatives?: readonly string[] | undefined;
}

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
  /** Skip slots that show an ad, or for which an earlier call found none. Default false. */
  readonly onlyNew?: boolean | undefined;
  /** Called when an ad was rendered, once for all slots. */
  readonly onFill?: ((ad: Ad) => unknown) | undefined;
  /** Called when no ad matches (with the server's reason, if it gives one) or the page has no slot (`no-slots`). */
  readonly onNoFill?: ((reason: string | null) => unknown) | undefined;
  /** Called when the request failed, but not when it was cancelled. */
  readonly onError?: ((error: AdsdkError) => unknown) | undefined;
};

/** The script's events: DOM CustomEvents that bubble from the slot, or from `document` if none is in the page. */
export interface AdsdkEventMap {
  'adsdk:fill': CustomEvent<Ad>;
  'adsdk:no-fill': CustomEvent<string | null>;
  'adsdk:error': CustomEvent<AdsdkError>;
  /**
   * The impression URL was loaded, for the first rendering of its request id on the page. Not dispatched if a blocker
   * or the network prevented it.
   */
  'adsdk:impression': CustomEvent<Ad>;
  /** Half of the ad was in view for a second, and the URL that reports it was loaded. */
  'adsdk:view': CustomEvent<Ad>;
  'adsdk:click': CustomEvent<Ad>;
}

/** The browser script. Its functions never throw, and its promises never reject. */
export interface Adsdk {
  /** Initialises the script; call it once, first. Another call replaces key, URL and labels, and keeps the session. */
  init(config: InitOptions): void;
  /** Returns the ad for a conversation, or null if there is none; `adsdk:no-fill` or `adsdk:error` give the reason. */
  getAd(options: MatchOptions): Promise<Ad | null>;
  /** Renders an ad into an element of the page. Returns the element that holds the ad, or null if it failed. */
  render(ad: RawAd | null, element: HTMLElement, options?: RenderOptions): HTMLElement | null;
  /**
   * Requests one ad and renders it into every element with the attribute `data-adsdk-slot`. A newer call cancels the
   * previous one, whose callbacks are then not called. If there is no ad, slots lose the ad that they show, unless
   * `signal` cancelled the call. Resolves to the rendered ad, or null.
   */
  process(options: ProcessOptions): Promise<Ad | null>;
  /**
   * Removes the ads from an element, or removes an element that `render` returned from the page. A `process` call whose
   * slots are all within the element is cancelled.
   */
  destroy(element: HTMLElement): void;
}

export type ClientMatchOptions = MatchOptions & {
  /**
   * An anonymous id of the user, for the frequency cap, if you have one; sent unchanged. With characters beyond
   * Latin-1, which no header can hold, `match` results in `invalid-argument`.
   */
  readonly sessionId?: string | undefined;
  /** The reader's country, such as `GB`. Without it, ads that are only for certain countries are not served. */
  readonly country?: string | undefined;
};

export interface Match {
  readonly ad: Ad | null;
  /** BCP 47 tag of the ad's language, if the server knows it. */
  readonly language: string | null;
  /** Why there is no ad, if the server gives a reason. */
  readonly reason: string | null;
  /** Why the request failed; null if it succeeded. */
  readonly error: AdsdkError | null;
}

/** The REST client. Its promises never reject. */
export interface Client {
  match(options: ClientMatchOptions): Promise<Match>;
  /**
   * Loads the impression URL; call it once you have displayed the ad. True: the server has answered, which does not say
   * that the event counts: it is ignored, for example, if the key is for browsers only. False: try again; it counts
   * once.
   */
  impression(ad: Ad, signal?: AbortSignal): Promise<boolean>;
}

declare global {
  interface Window {
    adsdk?: Adsdk;
  }
  interface GlobalEventHandlersEventMap extends AdsdkEventMap {}
}
