/** What the demo says in English, beside what stands in index.html. */
export default {
  name: 'English',
  said: {
    copied: 'Copied.',
    refused: 'Your browser does not let this page copy; select the text instead.',
    noAnswer:
      'I have no answer to this: the demo has no language model, only replies to the questions below. Whether an ad ' +
      'appears under this line was decided on what you wrote.',
  },
  canned: [
    {
      label: 'A weekend in Lisbon',
      message: 'I’m flying to Lisbon for a long weekend in May. Where should I stay?',
      reply:
        'For a first visit, Baixa or Chiado: you can walk to most sights, and the metro goes to the airport. Alfama is ' +
        'prettier and steeper, Príncipe Real quieter in the evening. May is busy, so book soon, and ask for a room that ' +
        'does not face the street.',
    },
    {
      label: 'Windows out of reach',
      message: 'Our windows are filthy and I hate ladders. Who does that?',
      reply:
        'A window cleaner with a water-fed pole: it reaches the third floor from the ground, and purified water dries ' +
        'without marks. Ask whether frames and sills are part of the price, and take a visit every two months rather ' +
        'than a single one; that usually halves what each costs.',
    },
    {
      label: 'Spanish for Madrid',
      message: 'I want to learn Spanish before we move to Madrid in June.',
      reply:
        'A little every day beats a long lesson a week. Begin with the thousand commonest words and the present tense, ' +
        'listen to something slow on the way to work, and talk to a person at least once a week, from the first week on.',
    },
    {
      label: 'Just saying hello',
      message: 'Hello, how are you?',
      reply: 'Hello! I am a handful of prepared answers, and well. Ask me one of the questions below.',
    },
    {
      label: 'A hard week',
      message: 'My father passed away on Monday and I don’t know how to get through the funeral.',
      reply:
        'I am so sorry. There is no right way to get through it. Let somebody you trust stand beside you that day, and ' +
        'let others carry what can be carried: the calls, the food, the driving. You do not have to speak if you cannot.',
    },
  ],
};
