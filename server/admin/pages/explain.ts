import type { Router } from '@koa/router';
import { EncoderBusyError } from '../../../models/encoder/encoder.js';
import { SearchUnavailableError } from '../../../models/index/catalogue-search.js';
import { canonicalCountry } from '../../../models/text/country-code.js';
import { FLOOR_SOURCES, languageInWords, needInWords } from '../../explain/in-words.js';
import { publisherNames, defaultSettings } from '../../keys/key-file.js';
import type { PageOptions } from './page-options.js';
import type { AdminState } from '../session/require-session.js';

type Asked = [context: string, publisher: string, country: string];

/**
 * `GET /admin/explain`: a form for a conversation; `POST`: why it gets an ad, or none. The conversation is sent in the
 * body, never in the address, and is not stored or logged. If it cannot be explained just now, the form comes back
 * filled in.
 */
export function explainPage(
  router: Router<AdminState>,
  { show, keys, explain, clock }: Pick<PageOptions, 'show' | 'keys' | 'explain' | 'clock'>,
): void {
  const read = async (form: URLSearchParams) => {
    const [context, name, country] = ['context', 'publisher', 'country'].map((field) => form.get(field) ?? '') as Asked;
    const file = await keys.read();
    const settings = file.publishers.find((publisher) => publisher.name === name) ?? defaultSettings(name);
    const frame = {
      title: 'Why this ad',
      navEntry: 'explain',
      names: publisherNames(file).toSorted(),
      context,
      name,
      country,
      floorFrom: FLOOR_SOURCES,
      needInWords,
      languageInWords,
      explanation: null,
      fault: null,
    };
    return { frame, settings };
  };
  router.get('/explain', async (ctx) => show(ctx, 'explain', (await read(new URLSearchParams())).frame));
  router.post('/explain', async (ctx) => {
    const { frame, settings } = await read(ctx.state.form);
    const { context, country } = frame;
    if (context.trim() === '') return show(ctx, 'explain', frame);
    const requester = {
      publisher: { ...settings, test: false },
      session: undefined,
      now: clock(),
      country: canonicalCountry(country.trim()),
    };
    try {
      show(ctx, 'explain', { ...frame, explanation: await explain({ context }, requester) });
    } catch (error) {
      if (!(error instanceof EncoderBusyError || error instanceof SearchUnavailableError)) throw error;
      const what = error instanceof EncoderBusyError ? 'The encoder is busy' : 'The catalogue cannot be searched now';
      ctx.set('Retry-After', String(error.retryAfterSeconds));
      show(ctx, 'explain', { ...frame, fault: `${what}. Your text is still here: try again shortly.` });
      ctx.status = 503;
    }
  });
}
