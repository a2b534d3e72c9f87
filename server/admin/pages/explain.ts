import type { Router } from '@koa/router';
import { EncoderBusyError } from '../../../models/encoder/encoder.js';
import { SearchUnavailableError } from '../../../models/index/catalogue-search.js';
import { FLOOR_SOURCES, judgementInWords, languageInWords, needInWords } from '../../explain/outcome.js';
import { publisherNames, defaultSettings } from '../../keys/key-file.js';
import type { PageOptions } from './page-options.js';
import type { AdminState } from '../session/require-session.js';

/**
 * `GET /admin/explain`: a form; `POST`: why that conversation gets this ad, or none. A conversation comes in a body alone,
 * never in an address, and nothing of it is kept or logged.
 */
export function explainPage(router: Router<AdminState>, { show, keys, explain, clock }: PageOptions): void {
  const answer = async (form: URLSearchParams) => {
    const [context, name] = [form.get('context') ?? '', form.get('publisher') ?? ''];
    const file = await keys.read();
    const settings = file.publishers.find((publisher) => publisher.name === name) ?? defaultSettings(name);
    const frame = {
      title: 'Why this ad',
      place: 'explain',
      names: publisherNames(file).toSorted(),
      context,
      name,
      floorFrom: FLOOR_SOURCES,
      needInWords,
      judgementInWords,
      languageInWords,
    };
    if (context.trim() === '') return { ...frame, explanation: null };
    const requester = { publisher: { ...settings, test: false }, session: undefined, now: clock() };
    return { ...frame, explanation: await explain({ context }, requester) };
  };
  router.get('/explain', async (ctx) => show(ctx, 'explain', await answer(new URLSearchParams())));
  router.post('/explain', async (ctx) => {
    try {
      show(ctx, 'explain', await answer(ctx.state.form));
    } catch (error) {
      if (error instanceof EncoderBusyError) ctx.throw(503, 'the encoder is busy; try again in a second');
      if (error instanceof SearchUnavailableError)
        ctx.throw(503, 'the catalogue cannot be searched now; try again shortly');
      throw error;
    }
  });
}
