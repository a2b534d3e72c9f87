/** How commands print what came from outside; the indexer does it by the same rule. */
export { printable, printableEnd } from '../../models/text/printable.js';
