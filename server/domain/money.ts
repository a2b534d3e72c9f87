/** How amounts are read and written; feeds are read by the same rule. */
export { decimal, readMoney } from '../../models/text/money.js';
