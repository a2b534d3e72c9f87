import type { Router } from '@koa/router';
import { endTakedown, ImagesNotTakenDownError, takeDown, TakedownError } from '../../takedown/changes.js';
import type { AuditedAction } from '../../audit/change-audited.js';
import { pageOfForm, type AdminState } from '../session/require-session.js';
import { auditedIn } from './audited-in.js';
import { addNotice } from '../rendering/show.js';
import { seeOther } from '../rendering/see-other.js';
import type { PageOptions } from './page-options.js';

/** Returns whether the ledger has events of a creative. @throws TakedownError if reports fail */
async function wasCounted({ runReport, log }: PageOptions, id: string): Promise<boolean> {
  try {
    const { rows } = await runReport({ by: ['creative'], where: { creative: id }, test: false });
    return rows.length > 0;
  } catch (error) {
    log.error({ err: error }, 'reports cannot tell whether a creative was ever served');
    throw new TakedownError(
      `"${id}" is not live, and reports cannot tell now whether it was; npm run creatives -- block ID --new takes it down`,
    );
  }
}

/** `POST /admin/creative/block` and `/unblock`: takes a creative down, or ends its takedown. */
export function takedowns(router: Router<AdminState>, options: PageOptions): void {
  const { path, takedowns: store, catalogue, log } = options;
  const changes = {
    async block(audited: AuditedAction, id: string, reason: string) {
      const isDown = (await store.read()).creatives.some((each) => each.id === id);
      // Reports are asked last, because a takedown of a live creative must not depend on them.
      const isKnown = isDown || catalogue.find(id) !== undefined || (await wasCounted(options, id));
      if (!isKnown) throw new TakedownError(`there is no creative "${id}"`);
      const { sharedWith } = await takeDown(audited, id, reason);
      const image = sharedWith.length === 0 ? '' : ` Its image stays: ${sharedWith.join(', ')} has it too.`;
      return `${id} is taken down, within a second.${image}`;
    },
    async unblock(audited: AuditedAction, id: string) {
      await endTakedown(audited, id);
      return `${id} may run again, within a second.`;
    },
  };
  for (const [action, change] of Object.entries(changes)) {
    router.post(`/creative/${action}`, async (ctx) => {
      const { form, session } = ctx.state;
      try {
        const audited = auditedIn(ctx, options, `creatives ${action}`);
        const text = await change(audited, form.get('id') ?? '', form.get('reason') ?? '');
        log.info({ action }, 'a creative was taken down or released in the dashboard');
        addNotice(session, { kind: 'done', text });
      } catch (error) {
        if (!(error instanceof TakedownError || error instanceof ImagesNotTakenDownError)) throw error;
        const nothing = error instanceof TakedownError ? 'Nothing was changed: ' : '';
        if (nothing === '') log.error({ err: error }, 'images of a creative that was taken down may still be shown');
        addNotice(session, { kind: 'failed', text: `${nothing}${error.message}.` });
      }
      // Back to the search, or to the creative, for the same period and traffic.
      const page = pageOfForm(ctx, new URL(`${options.baseUrl}/admin`));
      seeOther(ctx, path + (/^\/creatives?\?/.test(page) ? page : '/creatives'));
    });
  }
}
