import { expect } from 'chai';
import { readConversation } from '../../../../server/decide/conversation/conversation.js';
import { languageOf } from '../../../../server/decide/conversation/language.js';
import { ineligibility } from '../../../../server/decide/eligibility.js';
import type { Requester } from '../../../../server/domain/decision.js';
import { defaultSettings } from '../../../../server/keys/key-file.js';
import { testCreative } from '../../../support/test-snapshot.js';

const German = 'Welche Wanderschuhe sind gut für die Berge?';
const English = 'Which boots are good for the hills?';

describe('the language of a conversation', () => {
  const detected = (context: string) => languageOf(readConversation({ context }));

  it('is the user’s, whatever language the assistant uses', () => {
    expect(detected(`User: ${German}`)).to.equal('de');
    expect(detected(`User: ${German}\nAssistant: ${English} ${English}`)).to.equal('de');
    expect(detected(English)).to.equal('en');
  });

  it('is that of the newest words if the user switched languages', () => {
    expect(detected(`User: ${English}\nAssistant: ok\nUser: ${`${German} `.repeat(30)}`)).to.equal('de');
  });

  it('is that of all turns if the user’s are not enough, and null if none is detected', () => {
    expect(detected(`Assistant: ${German}\nUser: 42`)).to.equal('de');
    expect(detected('User: 42')).to.equal(null);
  });

  it('has the same subtag as the feed’s language tag', () => {
    expect(
      detected('User: Gusto ko pong bumili ng sapatos para sa bundok, iyong hindi nababasa at magaan sa paa'),
    ).to.equal('fil');
  });
});

describe('an ad that declares a language', () => {
  const publisher = { ...defaultSettings('Garden'), test: false };
  const asked = (language: string | null, foreignLanguages?: string[]): Requester => ({
    publisher: foreignLanguages === undefined ? publisher : { ...publisher, foreignLanguages },
    session: undefined,
    now: Date.UTC(2026, 10, 23),
    language,
  });
  const ineligibilityOf = (language: string | undefined, by: Requester) =>
    ineligibility(testCreative('one', language === undefined ? {} : { language }), by);

  it('is eligible for conversations in that language, whatever the region, or in an unknown language', () => {
    expect(ineligibilityOf('de', asked('de'))).to.equal(null);
    expect(ineligibilityOf('pt-BR', asked('pt'))).to.equal(null);
    expect(ineligibilityOf('de', asked('nl'))).to.equal('language');
    expect(ineligibilityOf('de', asked(null))).to.equal(null);
  });

  it('is eligible for other languages if the publisher allows the ad’s language', () => {
    expect(ineligibilityOf('de-AT', asked('nl', ['en', 'de']))).to.equal(null);
    expect(ineligibilityOf('fr', asked('nl', ['en', 'de']))).to.equal('language');
    expect(ineligibilityOf('nl', asked('nl', []))).to.equal(null);
  });

  it('is not required: an ad without a declared language is eligible for all conversations', () => {
    expect(ineligibilityOf(undefined, asked('de'))).to.equal(null);
    expect(ineligibility(testCreative('one', { writtenIn: 'en' }), asked('de'))).to.equal(null);
  });
});
