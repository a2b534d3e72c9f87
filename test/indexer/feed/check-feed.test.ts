import { expect } from 'chai';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkFeed } from '../../../indexer/feed/check-feed.js';
import type { Creative } from '../../../models/schema/creative.js';
import { describeFault } from '../../../indexer/feed/feed-entry.js';
import { readFeed } from '../../../indexer/feed/read-feed.js';
import { feedRow, feedRows, writeFeed } from '../../support/feed.js';
import { testCreative } from '../../support/test-snapshot.js';
import { PNG } from '../../support/png.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { countTurns } from '../../support/event-loop-turns.js';

const NO_TAG = 'feed:1: language: must be a';
const NO_LANGUAGE = 'feed:1: language: must name a known language,';

describe('checking a feed row', () => {
  it('reports a row that is nested too deeply, or has a text too long to check, and checks the others', async () => {
    const file = path.join(root, 'huge.jsonl');
    const row = (id: string, more: string) => JSON.stringify(feedRow(id)).replace(/\}$/, `,${more}}`);
    const huge = [`"price":${'['.repeat(20_000)}${']'.repeat(20_000)}`, `"language":"de${'-a'.repeat(5_000_000)}"`];
    writeFileSync(
      file,
      [row('a', '"x":1'), ...huge.map((more, at) => row(`h${at}`, more)), row('b', '"x":1')].join('\n'),
    );
    const checked = await checkFeed(await readFeed(file), file, { timeZone: 'UTC', currency: 'EUR', now });
    expect(checked.rows.map(({ creative }) => creative.id)).to.deep.equal(['a', 'b']);
    const faults = checked.faults.map((fault) => describeFault('feed', fault).slice(0, 200));
    expect(faults.filter((fault) => fault.startsWith('feed:2: '))).to.have.length(1);
    expect(faults.filter((fault) => fault.startsWith('feed:3: '))).to.have.length.at.least(1);
  });

  const root = temporaryDirectory();
  const folder = path.join(root, 'feed');
  const now = Date.parse('2026-06-01T12:00:00Z');

  before(() => {
    mkdirSync(path.join(folder, 'images'), { recursive: true });
    writeFileSync(path.join(folder, 'images/good.png'), PNG);
    writeFileSync(path.join(folder, 'images/photo.webp'), PNG);
    writeFileSync(path.join(folder, 'images/vector.png'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    writeFileSync(path.join(folder, 'images/empty.png'), '');
    writeFileSync(path.join(folder, 'images/exact.png'), Buffer.concat([PNG, Buffer.alloc(1_000_000 - PNG.length)]));
    writeFileSync(path.join(folder, 'images/large.png'), Buffer.concat([PNG, Buffer.alloc(1_000_001 - PNG.length)]));
    writeFileSync(path.join(root, 'secret.png'), PNG);
    symlinkSync(path.join(root, 'secret.png'), path.join(folder, 'images/link.png'));
  });
  after(() => rmSync(root, { recursive: true }));

  const check = async (rows: readonly unknown[], timeZone = 'UTC') => {
    const file = writeFeed(folder, rows);
    const checked = await checkFeed(await readFeed(file), file, { timeZone, currency: 'EUR', now });
    return {
      rows: checked.rows.map(({ creative }) => creative),
      faults: checked.faults.map((fault) => describeFault('feed', fault)),
    };
  };
  const without = (field: string): Record<string, unknown> =>
    Object.fromEntries(Object.entries(feedRow('a')).filter(([name]) => name !== field));

  const bad: readonly (readonly [what: string, row: unknown, fault: string])[] = [
    ...['id', 'name', 'text', 'landingUrl'].map(
      (field) => [`no ${field}`, without(field), `feed:1: ${field}: is required`] as [string, unknown, string],
    ),
    ['a row that is not an object', 'text', 'feed:1: must be object'],
    ['a row that is null', null, 'feed:1: must be object'],
    ['an id with a space', feedRow('a b'), 'feed:1: id: must be free of spaces and of / ? # %, and not . or ..'],
    [
      'an id that a path would drop',
      feedRow('..'),
      'feed:1: id: must be free of spaces and of / ? # %, and not . or ..',
    ],
    ['an id that is a number', feedRow('a', { id: 7 }), 'feed:1: id: must be a text in quotes, not 7'],
    ['a blank name', feedRow('a', { name: ' ' }), 'feed:1: name: must not be blank'],
    [
      'a name of 501 characters',
      feedRow('a', { name: 'x'.repeat(501) }),
      'feed:1: name: must NOT have more than 500 characters',
    ],
    ['an empty text without an image', feedRow('a', { text: '' }), 'feed:1: text: must not be empty without an image'],
    [
      'a script as landing URL',
      feedRow('a', { landingUrl: 'javascript:alert(1)' }),
      'feed:1: landingUrl: must be an http or https address, percent-encoded',
    ],
    [
      'a landing URL without a host',
      feedRow('a', { landingUrl: 'http://' }),
      'feed:1: landingUrl: must be an http or https address, percent-encoded',
    ],
    [
      'a landing URL with a password',
      feedRow('a', { landingUrl: 'https://user:pass@shop.example/' }),
      'feed:1: landingUrl: must hold no user name or password before the host',
    ],
    [
      'a landing URL with a user',
      feedRow('a', { landingUrl: 'https://shop.example@evil.example/' }),
      'feed:1: landingUrl: must hold no user name or password before the host',
    ],
    ...(
      [
        ['id', 'a\u009b'],
        ['name', 'Shop \u001b[2J'],
        ['text', 'Boots\u0007'],
        ['text', 'Boots \u202efor free'],
        ['advertiser', '\u0085'],
        ['campaign', 'Spring\u007f'],
        ['campaign', 'Spring\nPublished 0123456789abcdef'],
        ['advertiser', 'Leaf\t'],
      ] as const
    ).map(
      ([field, text]) =>
        [
          `a control character in ${field}`,
          feedRow('a', { [field]: text }),
          `feed:1: ${field}: must be free of control characters`,
        ] as const,
    ),
    ...(['id', 'name', 'text', 'advertiser', 'campaign'] as const).map(
      (field) =>
        [
          `a letter under a stack of accents in ${field}`,
          feedRow('a', { [field]: `Boots${'\u0301\u0323'.repeat(5)}` }),
          `feed:1: ${field}: must not have more than eight accents on one letter`,
        ] as const,
    ),
    ...[
      '\u00ad',
      '\u034f',
      '\u200b',
      '\u200c',
      '\u200d',
      '\u200e',
      '\u2060',
      '\u2068',
      '\ufe0f',
      '\ufeff',
      '\u{e0041}',
    ].map(
      (unseen) =>
        [
          `accents stacked behind U+${unseen.codePointAt(0)!.toString(16)}, which has no glyph,`,
          feedRow('a', { name: `Boots${`${'\u0301'.repeat(5)}${unseen}`.repeat(2)}` }),
          'feed:1: name: must not have more than eight accents on one letter',
        ] as const,
    ),
    ...(['advertiser', 'campaign'] as const).map(
      (field) =>
        [
          `hundreds of ligatures in ${field}`,
          feedRow('a', { [field]: '\ufdfa'.repeat(100) }),
          `feed:1: ${field}: must not consist of ligatures`,
        ] as const,
    ),
    ...(['name', 'advertiser'] as const).map(
      (field) =>
        [
          `nothing to see in ${field}`,
          feedRow('a', { [field]: '\u3164\u200b\u3164' }),
          `feed:1: ${field}: must have a character that can be seen`,
        ] as const,
    ),
    [
      'a control character in a category',
      feedRow('a', { categories: ['Shoes', '\u0000'] }),
      'feed:1: categories.1: must be free of control characters',
    ],
    ...['id', 'name', 'text', 'landingUrl', 'image', 'advertiser', 'campaign'].map(
      (field) =>
        [
          `half a character in ${field}`,
          feedRow('a', { [field]: 'https://a.example/\ud83d' }),
          `feed:1: ${field}: `,
        ] as const,
    ),
    [
      'half a character in a category',
      feedRow('a', { categories: ['\udc00'] }),
      'feed:1: categories.0: must be well-formed Unicode: it contains a lone surrogate (half a character)',
    ],
    [
      'a language tag that grows in canonical form beyond what a snapshot can have',
      feedRow('a', { language: 'de-u-attr-ca-islamicc-co-phonebk-aa' }),
      'feed:1: language: must have at most 35 characters in canonical form',
    ],
    [
      'a date that is none',
      feedRow('a', { startsAt: 'soon' }),
      'feed:1: startsAt: must be an RFC 3339 date-time or a date, such as 2027-03-31 or 2027-03-31T09:00:00+02:00, not "soon"',
    ],
    [
      'a day that does not exist',
      feedRow('a', { startsAt: '2026-02-30' }),
      'feed:1: startsAt: must be an RFC 3339 date-time or a date',
    ],
    [
      'an end in the past',
      feedRow('a', { endsAt: '2026-06-01' }),
      'feed:1: endsAt: is in the past (2026-06-01); the creative would never be shown',
    ],
    [
      'an end at the start',
      feedRow('a', { startsAt: '2027-01-01', endsAt: '2027-01-01' }),
      'feed:1: endsAt: must be later than startsAt (2027-01-01)',
    ],
    ...(
      [
        ['pricing', 'cpm', 'must look like {"model":"cpm","micros":2500000}, not "cpm"'],
        ['pricing', null, 'must look like {"model":"cpm","micros":2500000}, not null'],
        ['pricing.model', { micros: 1000 }, 'is required: cpm (per 1,000 impressions) or cpc (per click)'],
        [
          'pricing.model',
          { model: 'CPM', micros: 1000 },
          'must be cpm (per 1,000 impressions) or cpc (per click), not "CPM"',
        ],
        ['pricing.micros', { model: 'cpc' }, 'is required: 1 unit of the currency is 1,000,000 micros'],
        [
          'pricing.micros',
          { model: 'cpc', micros: 2.5 },
          'must be a whole number (1 unit of the currency is 1,000,000 micros), not "2.5"; price takes units',
        ],
        [
          'pricing.micros',
          { model: 'cpc', micros: '5' },
          'must be a whole number (1 unit of the currency is 1,000,000 micros), not "5"; price takes units',
        ],
        ['pricing.micros', { model: 'cpc', micros: -1 }, 'must not be negative, as -1 is'],
        [
          'pricing.micros',
          { model: 'cpc', micros: 1e12 + 1 },
          'must be at most 1,000,000,000,000 (a million units), not 1000000000001',
        ],
        [
          'pricing.micros',
          { model: 'cpm', micros: 1500 },
          'of a cpm must be a multiple of 1,000, since one impression costs a thousandth of it; not 1500',
        ],
        ['pricing.unit', { model: 'cpc', micros: 5, unit: 'USD' }, 'is not a known field'],
      ] as const
    ).map(
      ([field, pricing, message]) =>
        [`the price ${JSON.stringify(pricing)}`, feedRow('a', { pricing }), `feed:1: ${field}: ${message}`] as const,
    ),
    [
      'a budget with a fraction',
      feedRow('a', { budgetMicros: 1.5 }),
      'feed:1: budgetMicros: must be a whole number (1 unit of the currency is 1,000,000 micros), not "1.5"; budget takes units',
    ],
    [
      'a negative daily budget',
      feedRow('a', { dailyBudgetMicros: -1 }),
      'feed:1: dailyBudgetMicros: must not be negative, as -1 is',
    ],
    ['a cap without hours', feedRow('a', { frequencyCap: { ads: 1 } }), 'feed:1: frequencyCap.hours: is required'],
    [
      'a language by its name',
      feedRow('a', { language: 'German' }),
      `${NO_TAG} BCP 47 language tag such as de or pt-BR`,
    ],
    ['a language tag that is damaged', feedRow('a', { language: 'de-a' }), `${NO_TAG} BCP 47 language tag such as`],
    ['an unknown language', feedRow('a', { language: 'xx' }), `${NO_LANGUAGE} such as de or pt-BR, not xx`],
    ['several languages', feedRow('a', { language: 'mul' }), `${NO_LANGUAGE} such as de or pt-BR, not mul`],
    ['a blank category', feedRow('a', { categories: ['x', ' '] }), 'feed:1: categories.1: must not be blank'],
    [
      'an unknown country',
      feedRow('a', { countries: ['GB', 'xx'] }),
      'feed:1: countries.1: must be the code of a country',
    ],
    ['a region that is no country', feedRow('a', { countries: ['EU'] }), 'feed:1: countries.0: must be the code of a'],
    [
      'a country’s name',
      feedRow('a', { countries: ['Germany'] }),
      'feed:1: countries.0: must be a country code of two',
    ],
    ['no country at all', feedRow('a', { countries: [] }), 'feed:1: countries: '],
    [
      'a negative keyword without a letter',
      feedRow('a', { negativeKeywords: ['free', '!?'] }),
      'feed:1: negativeKeywords.1: must be a word or phrase',
    ],
    ...['crisps, chips', 'crisps;chips', 'crisps|chips', '\u85af\u7247\u3001\u997c\u5e72'].map(
      (phrase): [string, unknown, string] => [
        `the negative keyword ${phrase}`,
        feedRow('a', { negativeKeywords: ['free', phrase] }),
        'feed:1: negativeKeywords.1: must be one word or phrase; separate several by | in CSV',
      ],
    ),
    ['a missing image', feedRow('a', { image: 'no.png' }), 'feed:1: image: file “no.png” does not exist'],
    ['a folder as image', feedRow('a', { image: 'images' }), 'feed:1: image: “images” is a folder, not an image'],
    [
      'an image on the web',
      feedRow('a', { image: 'https://a.example/a.png' }),
      'feed:1: image: must be a path relative to the feed, not an address',
    ],
    [
      'an image by absolute path',
      feedRow('a', { image: '/etc/passwd' }),
      'feed:1: image: must be a path relative to the feed',
    ],
    [
      'an image outside the folder',
      feedRow('a', { image: 'images/../../secret.png' }),
      "feed:1: image: must stay inside the feed's folder",
    ],
    [
      'a link out of the folder',
      feedRow('a', { image: 'images/link.png' }),
      "feed:1: image: must stay inside the feed's folder",
    ],
    [
      'an SVG named PNG',
      feedRow('a', { image: 'images/vector.png' }),
      'feed:1: image: is not a PNG, JPEG, WebP, GIF or AVIF image',
    ],
    [
      'an empty image',
      feedRow('a', { image: 'images/empty.png' }),
      'feed:1: image: is not a PNG, JPEG, WebP, GIF or AVIF image',
    ],
    [
      'an image over 1 MB',
      feedRow('a', { image: 'images/large.png' }),
      'feed:1: image: is 1,000,001 bytes; at most 1 MB is allowed',
    ],
  ];
  for (const [what, row, fault] of bad) {
    it(`refuses ${what}`, async () => {
      const { rows, faults } = await check([row]);
      expect(
        faults.some((each) => each.startsWith(fault)),
        faults.join('\n'),
      ).to.equal(true);
      expect(rows).to.deep.equal([]);
    });
  }

  it('reports every fault of a row, not only the first', async () => {
    const { faults } = await check([
      feedRow('a', { name: '', landingUrl: 'ftp://x.example', endsAt: 'never', budgetMicros: '5' }),
    ]);
    const fields = faults.map((fault) => fault.split(': ')[1]);
    expect(fields).to.include.members(['name', 'landingUrl', 'endsAt', 'budgetMicros']);
  });

  it('treats a blank text as absent if there is an image, and identifies an image by its content', async () => {
    const { rows, faults } = await check([
      feedRow('a', { text: ' ', image: 'images/good.png' }),
      feedRow('b', { image: 'images/photo.webp' }),
      feedRow('c', { image: 'images/exact.png' }),
    ]);
    expect(faults).to.deep.equal([]);
    expect(rows[0]!.text).to.equal(null);
    expect(rows[0]!.imageFile).to.match(/^[0-9a-f]{64}\.png$/);
    expect(rows[1]!.imageFile).to.equal(rows[0]!.imageFile);
  });

  it('keeps a declared language in canonical form, and detects it if a row declares none', async () => {
    const German = { name: 'Schuhe für die Berge', text: 'Leicht, wasserdicht und neu besohlt.' };
    const { rows, faults } = await check([
      feedRow('a', { ...German, language: 'DE-at' }),
      feedRow('b', { ...German, language: 'iw' }),
      feedRow('c', German),
      feedRow('d', { ...German, text: ' ', image: 'images/good.png' }),
      feedRow('e', { name: 'X 1', text: '42' }),
    ]);
    expect(faults).to.deep.equal([]);
    const languages = rows.map(({ language, writtenIn }) => [language, writtenIn]);
    expect(languages).to.deep.equal([
      ['de-AT', undefined],
      ['he', undefined],
      [undefined, 'de'],
      [undefined, 'de'],
      [undefined, undefined],
    ]);
  });

  it('does not detect the language of an unchanged text again', async () => {
    const German = { name: 'Schuhe für die Berge', text: 'Leicht, wasserdicht und neu besohlt.' };
    const file = writeFeed(folder, [
      feedRow('same', German),
      feedRow('reworded', { ...German, text: 'Leicht und neu besohlt.' }),
      feedRow('renamed', { ...German, name: 'Schuhe für den Berg' }),
      feedRow('declared', German),
      feedRow('undetected', German),
      feedRow('new', German),
    ]);
    const before = (id: string, fields: Partial<Creative>) => testCreative(id, { ...German, ...fields });
    const { rows } = await checkFeed(await readFeed(file), file, {
      timeZone: 'UTC',
      currency: 'EUR',
      now,
      detected: [
        ...['same', 'reworded', 'renamed'].map((id) => before(id, { writtenIn: 'fr' })),
        before('declared', { language: 'fr' }),
        before('undetected', {}),
      ],
    });
    const detected = Object.fromEntries(rows.map(({ creative }) => [creative.id, creative.writtenIn]));
    expect(detected).to.deep.equal({
      same: 'fr',
      reworded: 'de',
      renamed: 'de',
      declared: 'de',
      undetected: undefined,
      new: 'de',
    });
  });

  it('yields to the event loop while it checks a long feed', async () => {
    const file = writeFeed(folder, feedRows(2000));
    const feed = await readFeed(file);
    const { result, turns } = await countTurns(async () =>
      checkFeed(feed, file, { timeZone: 'UTC', currency: 'EUR', now }),
    );
    expect(result.rows).to.have.length(2000);
    expect(turns).to.be.at.least(3);
  });

  it('reads a bare date as midnight in the time zone, and date-times as they are', async () => {
    const row = feedRow('a', { startsAt: '2026-07-01', endsAt: '2026-12-24T18:00:00+01:00' });
    const { rows: berlin } = await check([row], 'Europe/Berlin');
    expect(berlin[0]).to.include({ startsAt: '2026-06-30T22:00:00.000Z', endsAt: '2026-12-24T17:00:00.000Z' });
    const { rows: la } = await check([row], 'America/Los_Angeles');
    expect(la[0]!.startsAt).to.equal('2026-07-01T07:00:00.000Z');
    // Clocks in Cairo skip the hour after this midnight.
    const { rows: cairo } = await check([feedRow('a', { startsAt: '2026-04-24' })], 'Africa/Cairo');
    expect(cairo[0]!.startsAt).to.equal('2026-04-23T22:00:00.000Z');
  });

  it('trims and normalizes names, as they are compared', async () => {
    const names = { advertiser: ' Cafe\u0301 ', campaign: 'Spring\u00a0', categories: [' Garden', 'Tools '] };
    const { rows } = await check([feedRow('a', names)]);
    expect(rows[0]).to.deep.include({ advertiser: 'Caf\u00e9', campaign: 'Spring', categories: ['Garden', 'Tools'] });
    const { faults } = await check([feedRow('a', { advertiser: '  ' })]);
    expect(faults[0]).to.match(/^feed:1: advertiser: /);
  });

  it('reads countries in canonical form', async () => {
    const { rows } = await check([feedRow('a', { countries: ['gb', 'UK', 'de'] }), feedRow('b', { countries: null })]);
    expect(rows[0]!.countries).to.deep.equal(['GB', 'GB', 'DE']);
    expect(rows[1]).to.not.have.property('countries');
  });

  it('reads negative keywords, and stores none where there are none', async () => {
    const { rows } = await check([
      feedRow('a', { negativeKeywords: [' second hand ', 'Job', '1,5 l'] }),
      feedRow('b', { negativeKeywords: [] }),
      feedRow('c', { negativeKeywords: null }),
    ]);
    expect(rows[0]!.negativeKeywords).to.deep.equal(['second hand', 'Job', '1,5 l']);
    for (const row of rows.slice(1)) expect(row).to.not.have.property('negativeKeywords');
  });

  it('refuses a moment outside the years of a date in UTC', async () => {
    for (const fields of [{ endsAt: '9999-12-31T23:59:59-05:00' }, { startsAt: '0000-01-01T00:00:00+01:00' }]) {
      const { faults } = await check([feedRow('a', { startsAt: '2031-01-01', ...fields })]);
      expect(faults.join()).to.match(
        /^feed:1: (ends|starts)At: must be an existing date or date-time, from year 0 to 9999 in UTC/,
      );
    }
  });

  it('reports both lines of an id that occurs twice, and keeps the first row', async () => {
    const { rows, faults } = await check([feedRow('a'), feedRow('b'), feedRow('a', { name: 'Other' })]);
    expect(faults).to.deep.equal(['feed:3: id: repeats the id of line 1']);
    expect(rows.map(({ name }) => name)).to.deep.equal(['Shop a', 'Shop b']);
  });

  it('lets two advertisers have campaigns of one name with different terms', async () => {
    const { rows, faults } = await check([
      feedRow('a', { campaign: 'summer', advertiser: 'Green', budgetMicros: 5 }),
      feedRow('b', { campaign: 'summer', advertiser: 'Blue', budgetMicros: 6 }),
    ]);
    expect([rows.map(({ id }) => id), faults]).to.deep.equal([['a', 'b'], []]);
  });

  it('refuses a row whose advertiser is live in another source, unless the operator shares it', async () => {
    const file = writeFeed(folder, [
      feedRow('a', { advertiser: ' Rival', campaign: 'Spring', budgetMicros: 5 }),
      feedRow('b', { advertiser: 'Own' }),
      feedRow('c', { campaign: 'Spring' }),
    ]);
    const checkedWith = async (...sharedAdvertisers: string[]) =>
      checkFeed(await readFeed(file), file, {
        timeZone: 'UTC',
        currency: 'EUR',
        now,
        source: 'b',
        others: [
          testCreative('r', { advertiser: 'Rival', campaign: 'Spring', budgetMicros: 5, source: 'rival' }),
          testCreative('n', { source: 'rival' }),
        ],
        sharedAdvertisers,
      });
    for (const refused of [await checkedWith(), await checkedWith('Own', 'Rivals')]) {
      expect(refused.rows.map(({ creative }) => creative.id)).to.deep.equal(['b', 'c']);
      expect(refused.faults.map((fault) => describeFault('feed', fault))).to.deep.equal([
        'feed:1: advertiser: “Rival” is live in source rival, and its account would pay for what source b shows; ' +
          'if it agreed to that, index with --share-advertiser "Rival"',
      ]);
    }
    const { rows, faults, warnings } = await checkedWith('Rival');
    expect(rows.map(({ creative }) => creative.id)).to.deep.equal(['a', 'b', 'c']);
    expect([faults, warnings]).to.deep.equal([[], []]);
  });

  it('refuses a campaign without an advertiser that is live in another source, and warns if both have it', async () => {
    const file = writeFeed(folder, [
      feedRow('a', { campaign: 'Spring' }),
      feedRow('b', { campaign: 'Autumn' }),
      feedRow('c'),
    ]);
    const rules = { timeZone: 'UTC', currency: 'EUR', now, source: 'b' };
    const others = [testCreative('r', { campaign: 'Spring', source: 'rival' })];
    const refused = await checkFeed(await readFeed(file), file, { ...rules, others, sharedAdvertisers: ['Spring'] });
    expect(refused.rows.map(({ creative }) => creative.id)).to.deep.equal(['b', 'c']);
    expect(refused.faults.map((fault) => describeFault('feed', fault))).to.deep.equal([
      'feed:1: advertiser: campaign “Spring” without an advertiser is live in source rival, and its budget would pay ' +
        'for what source b shows; name the advertiser',
    ]);
    const own = [testCreative('a', { campaign: 'Spring', source: 'b' })];
    const { rows, faults, warnings } = await checkFeed(await readFeed(file), file, { ...rules, others, own });
    expect([rows.length, faults, warnings.length]).to.deep.equal([3, [], 1]);
    expect(warnings[0]).to.include('campaign “Spring” without an advertiser is live in source rival too');
  });

  it('warns once about an advertiser that two sources already have', async () => {
    const file = writeFeed(folder, [
      feedRow('a', { advertiser: 'Rival' }),
      feedRow('b', { advertiser: 'Rival' }),
      feedRow('c'),
    ]);
    const { rows, faults, warnings } = await checkFeed(await readFeed(file), file, {
      timeZone: 'UTC',
      currency: 'EUR',
      now,
      own: [testCreative('a', { advertiser: 'Rival' })],
      others: [testCreative('r', { advertiser: 'Rival', source: 'rival' }), testCreative('n', { source: 'rival' })],
    });
    expect([rows.length, faults]).to.deep.equal([3, []]);
    expect(warnings).to.have.length(1);
    expect(warnings[0])
      .to.include('“Rival” is live in source rival too')
      .and.include('take its rows out of the feed of source default or of rival');
  });

  it('refuses every row of a campaign whose rows disagree, and no other', async () => {
    const shared = { campaign: 'summer', budgetMicros: 5, endsAt: '2027-01-01' };
    const { rows, faults } = await check([
      feedRow('a', shared),
      feedRow('b', { ...shared, endsAt: '2027-01-01T00:00:00Z' }),
      feedRow('c', { ...shared, budgetMicros: 6, pricing: { model: 'cpc', micros: 1 } }),
      feedRow('d', { campaign: 'winter' }),
    ]);
    expect(rows.map(({ id }) => id)).to.deep.equal(['d']);
    expect(faults).to.deep.equal([
      'feed:1: campaign: the rows of “summer” disagree (first at line 3), so none of them can be used',
      'feed:2: campaign: the rows of “summer” disagree (first at line 3), so none of them can be used',
      'feed:3: pricing: is cpc 0.000001, but absent at line 1; all rows of campaign “summer” must agree',
      'feed:3: budget: is 0.000006, but 0.000005 at line 1; all rows of campaign “summer” must agree',
    ]);
  });
});
