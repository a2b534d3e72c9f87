import { expect } from 'chai';
import { readConversation } from '../../../../server/decide/conversation/conversation.js';
import { languageOf } from '../../../../server/decide/conversation/language.js';
import { ineligibility } from '../../../../server/decide/eligibility.js';
import type { Requester } from '../../../../server/domain/decision.js';
import { defaultSettings } from '../../../../server/keys/key-file.js';
import { madeCreative } from '../../../support/made-snapshot.js';

const German = 'Welche Wanderschuhe sind gut für die Berge?';
const English = 'Which boots are good for the hills?';

describe('the language of a conversation', () => {
  const told = (context: string) => languageOf(readConversation({ context }));

  it('is that of what the person says, whatever the assistant answers in', () => {
    expect(told(`User: ${German}`)).to.equal('de');
    expect(told(`User: ${German}\nAssistant: ${English} ${English}`)).to.equal('de');
    expect(told(English)).to.equal('en');
  });

  it('is that of the newest words, where the person came to another one', () => {
    expect(told(`User: ${English}\nAssistant: ok\nUser: ${`${German} `.repeat(30)}`)).to.equal('de');
  });

  it('is that of the whole where the person’s words do not tell, and none where nothing does', () => {
    expect(told(`Assistant: ${German}\nUser: 42`)).to.equal('de');
    expect(told('User: 42')).to.equal(null);
  });

  it('has the subtag that a feed’s tag becomes', () => {
    expect(
      told('User: Gusto ko pong bumili ng sapatos para sa bundok, iyong hindi nababasa at magaan sa paa'),
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
  const faultOf = (language: string | undefined, by: Requester) =>
    ineligibility(madeCreative('one', language === undefined ? {} : { language }), by);

  it('is for conversations in it, of whatever region, and for those of an unknown language', () => {
    expect(faultOf('de', asked('de'))).to.equal(null);
    expect(faultOf('pt-BR', asked('pt'))).to.equal(null);
    expect(faultOf('de', asked('nl'))).to.equal('language');
    expect(faultOf('de', asked(null))).to.equal(null);
  });

  it('is for others too where the publisher accepts its language in any', () => {
    expect(faultOf('de-AT', asked('nl', ['en', 'de']))).to.equal(null);
    expect(faultOf('fr', asked('nl', ['en', 'de']))).to.equal('language');
    expect(faultOf('nl', asked('nl', []))).to.equal(null);
  });

  it('gives way to one that declares none, which is for all', () => {
    expect(faultOf(undefined, asked('de'))).to.equal(null);
    expect(ineligibility(madeCreative('one', { writtenIn: 'en' }), asked('de'))).to.equal(null);
  });
});
