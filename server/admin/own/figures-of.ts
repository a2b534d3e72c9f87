import type { Context } from 'koa';
import type { Operator } from '../../access/access.js';
import type { OwnFigures, OwnFiguresOf } from '../../reports/own-figures.js';

/**
 * Returns the figures of whoever sent a request.
 *
 * @throws 403 for an operator, who has none of their own
 */
export function figuresOf(ctx: Context, own: OwnFiguresOf): OwnFigures {
  const { party, role, tokenId } = ctx.state['operator'] as Operator;
  if (party !== null) return own(party, tokenId);
  return ctx.throw(403, `this is for advertisers and publishers, not for the role ${role}`);
}
