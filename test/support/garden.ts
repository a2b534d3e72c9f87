const ADS = `
trimmer | Tidy hedges in an afternoon | Cordless hedge trimmer with a 55 cm blade. Light enough for one hand, charges in an hour.
mower | A lawn like velvet | Quiet battery mower for lawns up to 400 square metres.
shed | Room for everything | Timber sheds from 2 by 3 metres, delivered and built.
roses | Old roses, new vigour | Bare-root climbing and shrub roses, sent in November.
compost | Peat-free compost | Rich compost by the bag or the pallet.
hose | Water without lugging cans | Hose reels and drip irrigation with a timer.
slugs | Slugs stay out | Copper tape and wool pellets keep slugs off lettuce.
feeder | Feeders the squirrels hate | Bird feeders and seed mixes for every season.
greenhouse | Tomatoes until October | Small greenhouses of toughened glass.
boots | Dry feet in wet beds | Garden boots and kneelers.
fence | Good fences | Panels, posts and gravel boards, fitted in a day.
pond | A pond in a weekend | Liners, pumps and water lilies.
trees | Tree surgeons who tidy up | Pruning, felling and stump grinding by certified climbers.
patio | Patios that stay level | Stone and porcelain paving, laid with a ten-year guarantee.
weeds | Weeds gone, no poison | Hot-water weeders to hire by the day.
`;

/** The feed of a small catalogue: fifteen ads of one garden shop. */
export const GARDEN_FEED = ADS.trim()
  .split('\n')
  .map((line) => {
    const [id, name, text] = line.split(' | ');
    const landingUrl = `https://garden.example/${id}`;
    return `${JSON.stringify({ id, name, text, categories: ['Garden'], advertiser: 'Greenhoff', landingUrl })}\n`;
  })
  .join('');

/** Plain needs, each with the ad of the feed that is right. */
export const GARDEN_NEEDS: readonly (readonly [context: string, creative: string])[] = [
  ['hedge is out of control', 'trimmer'],
  ['my lawn is a meadow, the old mower finally died', 'mower'],
  ['slugs ate all my lettuce again', 'slugs'],
  ['squirrels empty the bird feeder every morning', 'feeder'],
  ['fence blew down in the storm last night', 'fence'],
  ['paving slabs are wobbling and someone will trip', 'patio'],
];

/** Needs that none of its ads serves. */
export const NOT_GARDEN = ['I have a toothache', 'need a lawyer for a parking fine', 'any good films on tonight?'];
