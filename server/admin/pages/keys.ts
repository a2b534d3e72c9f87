import type { Router } from '@koa/router';
import type { Context } from 'koa';
import { createKey, deactivateKey, KeyChangeError, rotateKey } from '../../keys/key-operations.js';
import { keyState, type StoredPublisherKey } from '../../keys/key-file.js';
import { KeyInputError, parseNewKey, type NewKeyInput, readOverlap } from '../../keys/new-key.js';
import type { AuditedAction } from '../../audit/change-audited.js';
import { changeKeys } from '../../keys/change-keys.js';
import { auditedIn } from './audited-in.js';
import { pageNumberIn, pageOf } from '../query/page-of.js';
import type { PageOptions } from './page-options.js';
import type { AdminState } from '../session/require-session.js';
import { type Notice, addNotice, hrefOf } from '../rendering/show.js';
import { seeOther } from '../rendering/see-other.js';

/** Limited since each key has its own forms: rendering thousands on one page would block all other requests. */
const KEYS_A_PAGE = 100;

/**
 * `GET /admin/keys`: publishers' keys; `POST` creates, rotates or deactivates one. A new key is shown once, on the next
 * page. If the input is not valid, the response is the form as it was sent, with the fault.
 */
export function keys(router: Router<AdminState>, options: PageOptions): void {
  const { show, path, keys: store, clock, log } = options;
  const showKeys = async (ctx: Context, typed: Typed, fault: Fault | null = null): Promise<void> => {
    const file = await store.read();
    const now = clock();
    const rows = file.keys.map((key) => ({ ...key, sha256: undefined, state: keyState(key, now) }));
    // Active keys first, then latest first.
    const ordered = rows
      .toReversed()
      .toSorted((one, other) => Number(one.state !== 'active') - Number(other.state !== 'active'));
    show(ctx, 'keys', {
      title: 'Keys',
      navEntry: 'keys',
      ...pageOf(ordered, pageNumberIn(new URLSearchParams(ctx.querystring)), KEYS_A_PAGE),
      publishers: [...new Set(file.keys.map(({ publisher }) => publisher))].toSorted(),
      typed,
      fault,
    });
  };
  router.get('/keys', (ctx) => {
    const publisher = new URLSearchParams(ctx.querystring).get('publisher') ?? '';
    return showKeys(ctx, typedIn(new URLSearchParams({ publisher })));
  });
  // The address that a browser shows after a form was refused.
  router.get('/keys/create', (ctx) => seeOther(ctx, `${path}/keys`));

  for (const [action, change] of Object.entries(CHANGES)) {
    router.post(`/keys/${action}`, async (ctx) => {
      const { form, session } = ctx.state;
      try {
        addNotice(session, await change(options, form, auditedIn(ctx, options, `keys ${action}`)));
        log.info({ action }, 'keys were changed in the dashboard');
      } catch (error) {
        if (!(error instanceof KeyInputError || error instanceof KeyChangeError)) throw error;
        const text = `Nothing was changed: ${error.message}.`;
        if (action === 'create' && error instanceof KeyInputError) {
          await showKeys(ctx, typedIn(form), { field: error.field, text });
          ctx.status = 422;
          return;
        }
        addNotice(session, { kind: 'failed', text });
      }
      // A new publisher's key is on the first page.
      const page = action === 'create' ? '' : (form.get('page') ?? '');
      seeOther(ctx, hrefOf(`${path}/keys`, { page: page === '1' ? '' : page }));
    });
  }
}

type Change = (options: PageOptions, form: URLSearchParams, audited: AuditedAction) => Promise<Notice>;

const CHANGES: Readonly<Record<'create' | 'rotate' | 'deactivate', Change>> = {
  async create({ keys, config, clock }, form, audited) {
    const wanted = parseNewKey(inputOf(form), config.timeZone, clock());
    return shownOnce(await changeKeys(keys, audited, (file) => createKey(file, wanted, clock())));
  },
  async rotate({ keys, clock }, form, audited) {
    const overlapMs = readOverlap(form.get('overlap') ?? '');
    return shownOnce(
      await changeKeys(keys, audited, (file) => rotateKey(file, form.get('id') ?? '', overlapMs, clock())),
    );
  },
  async deactivate({ keys, clock }, form, audited) {
    const { id, publisher } = await changeKeys(keys, audited, (file) =>
      deactivateKey(file, form.get('id') ?? '', clock()),
    );
    return { kind: 'done', text: `${id} of ${publisher} is deactivated. It is refused within a second.` };
  },
};

/** The fields of the form that creates a key, as typed. */
type Typed = Readonly<Record<'publisher' | 'perMinute' | 'expires' | 'origins' | 'kind' | 'mode', string>>;

/** What is wrong with a field, which has the name of the command's option. */
type Fault = Pick<KeyInputError, 'field'> & { readonly text: string };

function typedIn(form: URLSearchParams): Typed {
  const text = (name: string): string => form.get(name) ?? '';
  return {
    publisher: text('publisher'),
    perMinute: text('perMinute'),
    expires: text('expires'),
    origins: text('origins'),
    kind: text('kind'),
    mode: text('mode'),
  };
}

/** Returns the form's fields; an empty one counts as absent. */
function inputOf(form: URLSearchParams): NewKeyInput {
  const text = (name: string): string | undefined => form.get(name)?.trim() || undefined;
  return {
    publisher: text('publisher'),
    test: form.get('kind') === 'test',
    mode: text('mode'),
    origins: text('origins')?.split(/\s+/) ?? [],
    expires: text('expires'),
    requestsPerMinute: text('perMinute'),
  };
}

function shownOnce({ key, stored }: { readonly key: string; readonly stored: StoredPublisherKey }): Notice {
  return { kind: 'key', id: stored.id, publisher: stored.publisher, key };
}
