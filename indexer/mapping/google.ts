import type { MappingFile } from './mapping.js';

/**
 * The mapping of product feeds as Google Merchant Center defines them; those for Meta have the same columns. The price is
 * what the product costs and is not read. Images are addresses, and are not read either. The variants of a product, such
 * as its sizes, have one `item_group_id` and are one ad, whose id stays the same when one of them is sold out.
 */
export const GOOGLE: MappingFile = {
  fields: {
    id: '{item_group_id|id}',
    name: '{title}',
    text: '{description|summary|content}',
    landingUrl: '{link}',
    categories: '{product_type|} > {google_product_category|}',
  },
  leaveOut: {
    'availability|': ['out of stock', 'discontinued'],
    'adult|': ['yes', 'true', '1'],
    'pause|': ['ads', 'all'],
  },
  onePer: 'item_group_id|',
  categorySeparator: '>',
};
