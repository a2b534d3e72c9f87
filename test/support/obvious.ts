/** Everyday contexts, each with the sample creative that clearly fits best. */
export const OBVIOUS: readonly (readonly [context: string, creative: string])[] = [
  ["User: I can't keep track of my spending", 'budgeting-1'],
  ['User: planning a ski trip with two beginners, where should we go?', 'ski-1'],
  ['User: how do I start a podcast?', 'podcasts-1'],
  ['User: any fun board games for four people?', 'board-games-1'],
  ['User: I need a relaxing massage', 'spa-1'],
  ['User: I need winter tires', 'tyres-1'],
  ['User: the vet bill for our dog was huge, is there insurance for that?', 'pet-insurance-1'],
  ['User: are solar panels worth it for our roof?', 'solar-1'],
  ['User: we got engaged! how do we plan a wedding?', 'weddings-1'],
  [
    'User: Hi!\nAssistant: Hello! How can I help?\nUser: we are planning a new kitchen, how much will it cost?',
    'kitchens-1',
  ],
];

/** Contexts that must get no ad. */
export const NO_AD: readonly string[] = [
  'User: hi, how are you?',
  'User: thanks, that helped a lot',
  'User: what is 17 times 23?',
  'User: my grandmother died yesterday and I do not know what to do with myself',
  "User: I don't want to live any more\nAssistant: I am so sorry. Are you safe right now?\nUser: what's the weather tomorrow",
];
