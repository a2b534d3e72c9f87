import { Type, type Static } from '#typebox';
import { SourceName } from './source.js';

/** A web address that a click may lead to: http or https only. */
const HttpUrl = Type.String({
  format: 'uri',
  pattern: '^https?://',
  maxLength: 2048,
  description: 'an http or https address, percent-encoded',
});

/** RFC 3339 date-time, or a bare date (the first moment of that day in the installation's time zone). */
const Moment = Type.Union([Type.String({ format: 'date-time' }), Type.String({ format: 'date' })], {
  description: 'an RFC 3339 date-time or a date',
});

/** Money in integer millionths of the installation's currency. */
const Micros = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Money in units of the currency, as a feed may write it. The indexer converts it to micros. */
const Amount = Type.Union([Type.String(), Type.Number()], { description: 'an amount such as 0.35 or "0.35 EUR"' });

/** A name of an advertiser, a campaign or a category. */
export const Label = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });

/** A word or phrase of a conversation. */
const Phrase = Type.String({ minLength: 1, maxLength: 80, pattern: '[\\p{L}\\p{N}]', description: 'a word or phrase' });

/** An ISO 3166-1 code such as `GB`. Intl decides later whether it names a country. */
export const CountryCode = Type.String({
  pattern: '^[A-Za-z]{2}$',
  description: 'a country code of two letters such as GB',
});

export const MAX_TAG_LENGTH = 35;

/** A BCP 47 tag such as `de` or `pt-BR`. Intl decides later whether it names a language. */
const LanguageTag = Type.String({
  pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$',
  maxLength: MAX_TAG_LENGTH,
  description: 'a BCP 47 language tag such as de or pt-BR',
});

/** Max price: a million units. */
export const MAX_PRICE_MICROS = 1e12;

/** What an advertiser pays, and for what: per thousand impressions (cpm) or per click (cpc). */
export const Pricing = Type.Union(
  [
    Type.Object(
      { model: Type.Literal('cpm'), micros: Type.Integer({ minimum: 0, maximum: MAX_PRICE_MICROS, multipleOf: 1000 }) },
      { additionalProperties: false },
    ),
    Type.Object(
      { model: Type.Literal('cpc'), micros: Type.Integer({ minimum: 0, maximum: MAX_PRICE_MICROS }) },
      { additionalProperties: false },
    ),
  ],
  { description: '{"model":"cpm"|"cpc","micros":integer}; a cpm is a multiple of 1,000' },
);
export type Pricing = Static<typeof Pricing>;

/** Frequency cap: at most `ads` served ads of a campaign per session within `hours`. */
export const FrequencyCap = Type.Object(
  { ads: Type.Integer({ minimum: 1, maximum: 10_000 }), hours: Type.Number({ exclusiveMinimum: 0, maximum: 24 * 30 }) },
  { additionalProperties: false },
);
export type FrequencyCap = Static<typeof FrequencyCap>;

/** One row of a feed, as an advertiser writes it. Unknown fields are allowed and reported in a warning. */
export const FeedRow = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 128,
    // The id becomes a segment of the target URL's path, where . and .. would be resolved.
    pattern: '^(?!\\.{1,2}$)[^\\s\\u0000-\\u001f\\u007f/?#%]+$',
    description: 'free of spaces and of / ? # %, and not . or ..',
  }),
  name: Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' }),
  text: Type.String({ maxLength: 4000 }),
  landingUrl: HttpUrl,
  image: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  advertiser: Type.Optional(Label),
  campaign: Type.Optional(Label),
  categories: Type.Optional(Type.Array(Label, { maxItems: 50 })),
  /** Never serve it in conversations in which one of these is said. */
  negativeKeywords: Type.Optional(Type.Array(Phrase, { maxItems: 100 })),
  startsAt: Type.Optional(Moment),
  endsAt: Type.Optional(Moment),
  pricing: Type.Optional(Pricing),
  /** Alternative to `pricing.micros`. */
  price: Type.Optional(Amount),
  budget: Type.Optional(Amount),
  budgetMicros: Type.Optional(Micros),
  dailyBudget: Type.Optional(Amount),
  dailyBudgetMicros: Type.Optional(Micros),
  frequencyCap: Type.Optional(FrequencyCap),
  /** Serve it only in conversations in this language. */
  language: Type.Optional(LanguageTag),
  /** Serve it only to readers in these countries. */
  countries: Type.Optional(Type.Array(CountryCode, { minItems: 1, maxItems: 300 })),
});
export type FeedRow = Static<typeof FeedRow>;

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) => Type.Union([type, Type.Null()]);

/** A creative as a snapshot stores it: dates in UTC, the image by its content hash, absent values mostly as null. */
export const Creative = Type.Object(
  {
    id: FeedRow.properties.id,
    name: FeedRow.properties.name,
    text: Nullable(Type.String()),
    landingUrl: HttpUrl,
    /** File name below `DATA_DIR/images`: `<sha256>.<ext>`. */
    imageFile: Nullable(Type.String({ pattern: '^[0-9a-f]{64}\\.(png|jpg|webp|gif|avif)$' })),
    advertiser: Nullable(Label),
    campaign: Nullable(Label),
    categories: Type.Array(Label),
    /** Absent: none. */
    negativeKeywords: Type.Optional(Type.Array(Phrase)),
    startsAt: Nullable(Type.String({ format: 'date-time' })),
    endsAt: Nullable(Type.String({ format: 'date-time' })),
    pricing: Nullable(Pricing),
    budgetMicros: Nullable(Micros),
    dailyBudgetMicros: Nullable(Micros),
    frequencyCap: Nullable(FrequencyCap),
    /** As the feed declares it, in canonical form. Absent: for conversations in any language. */
    language: Type.Optional(LanguageTag),
    /** The detected language of its text, if the feed declares none and the text reveals it. */
    writtenIn: Type.Optional(LanguageTag),
    /** In canonical form. Absent: for readers in any country. */
    countries: Type.Optional(Type.Array(CountryCode)),
    /** Absent: the default source. */
    source: Type.Optional(SourceName),
  },
  { additionalProperties: false },
);
export type Creative = Static<typeof Creative>;
