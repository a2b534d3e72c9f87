import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Ad } from '../../models/schema/ad.js';
import { eventually } from '../support/eventually.js';
import { feedRow, writeFeed } from '../support/feed.js';
import { Installation, match } from '../support/installation.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Ads in German, Japanese and English, and one in Hindi that is only for conversations in Hindi. */
const ROWS = [
  feedRow('reifen', { name: 'Winterreifen ab 49 Euro', text: 'Mit Montage in zweihundert Werkstätten, heute noch.' }),
  feedRow('zahnarzt', { name: 'Endlich wieder kraftvoll zubeißen', text: 'Zahnersatz und Prophylaxe in Köln.' }),
  feedRow('onsen', {
    name: '箱根の温泉旅館',
    text: '露天風呂付きの客室を一泊二食で。週末の空室もすぐに予約できます。',
  }),
  feedRow('piano', { name: 'Piano lessons at home', text: 'Patient teachers for beginners of every age.' }),
  feedRow('tyres-hi', { name: 'नए टायर, घर बैठे फिटिंग', text: 'कार और बाइक के टायर सबसे कम दाम पर।', language: 'hi' }),
];

/** A real server with the multilingual encoder. */
describe('conversations in other languages', function () {
  this.timeout(180_000);
  const folder = temporaryDirectory();
  const adjacent = new Installation(path.join(folder, 'data'), { LANGUAGES: 'all', PROFILE: 'fast' });
  let origin: string;
  let key: string;
  before(async () => {
    await adjacent.run('indexer/main.js', writeFeed(folder, ROWS));
    key = await adjacent.createKey('--publisher', 'Chat');
    // A low floor, because scores for a catalogue of five ads do not matter here.
    await adjacent.run('server/commands/keys/main.js', 'set', '--publisher', 'Chat', '--floor', '0.02');
    ({ origin } = await adjacent.serve());
  });
  after(async () => {
    await adjacent.end();
    await rm(folder, { recursive: true });
  });

  const answerTo = async (context: string) => {
    const answer = await match(origin, key, context);
    if (answer.status === 404) return answer.headers.get('x-adjacent-reason');
    const { id } = (await answer.json()) as Ad;
    return `${id} ${answer.headers.get('content-language')}`;
  };

  it('get ads in their language, which the response names', async () => {
    expect(await answerTo('User: ich brauche neue winterreifen, wo ist es günstig?')).to.equal('reifen de');
    expect(await answerTo('User: 週末に温泉でゆっくりしたい、箱根でいい宿ある?')).to.equal('onsen ja');
    expect(await answerTo('User: mujhe car ke liye naye tyre chahiye')).to.equal('tyres-hi hi');
  });

  it('get an English ad if no other fits, and none that is for another language', async () => {
    expect(await answerTo('User: ich möchte klavier spielen lernen, gibt es unterricht zu hause?')).to.equal(
      'piano en',
    );
    expect(await answerTo('User: I would like to learn the piano, lessons at home if possible')).to.equal('piano en');
    expect(await answerTo('User: I need new tyres for my car, fitted at home')).to.not.match(/^tyres-hi/);
  });

  it('get no ad in distress or in an unsupported language', async () => {
    expect(await answerTo('User: もう死にたい。誰にも会いたくない')).to.equal('sensitive');
    expect(await answerTo('User: मैं जीना नहीं चाहता, सब खत्म कर देना चाहता हूँ')).to.equal('sensitive');
    expect(await answerTo('User: мне нужны новые зимние шины, где дешевле?')).to.equal('language');
  });

  it('are counted by language', async () => {
    await eventually(async () => {
      const report = await adjacent.run('server/commands/report/main.js');
      expect(report).to.match(/by language: .*\bde 2 of 2\b/);
      expect(report)
        .to.match(/\bja 1 of 2\b/)
        .and.match(/\bhi 1 of 2\b/)
        .and.match(/\bother 0 of 1\b/);
    }, 30_000);
  });
});
