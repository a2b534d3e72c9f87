import { expect } from 'chai';
import { failureText } from '../../../platform/command-line/failure-text.js';

describe('the text of a failure', () => {
  it('is the message of the error', () => {
    expect(failureText(new Error('port 3000 is taken'))).to.equal('port 3000 is taken');
    expect(failureText('ended')).to.equal('ended');
  });

  it('says what to do after an upgrade of Node, even if the reason is part of another message', () => {
    const ofNode =
      "The module '/opt/adjacent/node_modules/better-sqlite3/build/Release/better_sqlite3.node'\n" +
      'was compiled against a different Node.js version using\nNODE_MODULE_VERSION 115. This version of Node.js requires\n' +
      'NODE_MODULE_VERSION 137. Please try re-compiling or re-installing\nthe module (for instance, using `npm rebuild` or `npm install`).';
    for (const message of [ofNode, `ledger.sqlite cannot be copied: ${ofNode}`]) {
      expect(failureText(new Error(message)))
        .to.match(/compiled for another Node than this one \(\d+\.\d+\.\d+\)/)
        .and.to.include('node server/setup.mjs')
        .and.not.include('npm rebuild');
    }
  });
});
