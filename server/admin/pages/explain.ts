import type { Router } from '@koa/router';
import { EncoderBusyError } from '../../../models/encoder/encoder.js';
import { FLOOR_FROM } from '../../explain/outcome.js';
import { publisherNames, unset } from '../../keys/key-file.js';
import type { Parts } from './parts.js';
import type { AdminState } from '../session/gate.js';

/**
 * `GET /admin/explain`: a form; `POST`: why that conversation gets this ad, or none. A conversation comes in a body alone,
 * never in an address, and nothing of it is kept or logged.
 */
export function explain(router: Router<AdminState>, { show, keys, explain: explained, clock }: Parts): void {
  const answer = async (form: URLSearchParams) => {
    const [context, name] = [form.get('context') ?? '', form.get('publisher') ?? ''];
    const file = await keys.read();
    const settings = file.publishers.find((publisher) => publisher.name === name) ?? unset(name);
    const frame = {
      title: 'Why this ad',
      place: 'explain',
      names: publisherNames(file).toSorted(),
      context,
      name,
      floorFrom: FLOOR_FROM,
    };
    if (context.trim() === '') return { ...frame, told: null };
    const asker = { publisher: { ...settings, test: false }, session: undefined, now: clock() };
    return { ...frame, told: await explained({ context }, asker) };
  };
  router.get('/explain', async (ctx) => show(ctx, 'explain', await answer(new URLSearchParams())));
  router.post('/explain', async (ctx) => {
    try {
      show(ctx, 'explain', await answer(ctx.state.form));
    } catch (error) {
      if (error instanceof EncoderBusyError) ctx.throw(503, 'the encoder is busy; try again in a second');
      throw error;
    }
  });
}
