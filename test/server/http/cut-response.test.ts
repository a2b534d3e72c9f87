import { expect } from 'chai';
import { logCutResponse } from '../../../server/http/middleware/error-handler.js';

describe('a response that was cut short', () => {
  it('is an error in the log, unless the client has gone', () => {
    const logged: string[] = [];
    const cut = logCutResponse({ debug: () => void logged.push('debug'), error: () => void logged.push('error') });
    for (const code of ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EIO', 'EACCES']) cut(Object.assign(new Error(), { code }));
    cut(new Error('without a code'));
    expect(logged).to.deep.equal(['debug', 'debug', 'debug', 'error', 'error', 'error']);
  });
});
