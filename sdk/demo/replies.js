/**
 * What the stand-in for an assistant says: scripts by topic, chosen by words in what was typed. There is no language
 * model here, and the page says so; the ads do not depend on these answers.
 */
const TOPICS = [
  {
    words:
      /\b(die[ds]?|dying|death|funeral|grie(f|ve|ving)|passed away|lost my (mum|mom|dad|father|mother|wife|husband|son|daughter|brother|sister|dog|cat)|suicid\w*|hopeless)\b/i,
    reply:
      'I am so sorry. That is a lot to carry, and there is no right way to feel about it. If you want to, tell me about them. ' +
      'And if tonight feels too heavy to be alone with, please call someone you trust, or a helpline where you live.',
  },
  {
    words:
      /\b(travel\w*|trip|flights?|holidays?|vacation|hotels?|lisbon|weekend away|itinerary|backpack\w*|luggage|suitcase)\b/i,
    reply:
      'Lovely. Start from what you want to feel on the second day: rested, full of sights, or well fed. Keep one fixed plan ' +
      'per day and leave the rest open. Stay near a tram or metro line, pack for one temperature colder than the forecast, ' +
      'and book the one thing that sells out before you book anything else.',
  },
  {
    words: /\b(cook\w*|kitchen|recipes?|knife|knives|bak(e|ing)|bread|dinner|pans?|oven|sourdough|coffee|meals?)\b/i,
    reply:
      'Good things first: heat the pan before the oil, salt early, and taste often. Most of it comes from one sharp knife, ' +
      'one heavy pan and a board that does not slip. Cut everything before the stove goes on, and the cooking itself turns ' +
      'calm.',
  },
  {
    words: /\b(dogs?|cats?|pupp(y|ies)|kittens?|pets?|vet|leash|litter)\b/i,
    reply:
      'Sounds like a lively one. Short and often beats long and rare: a few minutes of training, twice a day, always ending ' +
      'on something that worked. Tire out the nose as well as the legs, keep meals regular, and change one thing at a time ' +
      'so that you can tell what helped.',
  },
  {
    words: /\b(run(ning)?|marathon|gym|work ?outs?|fitness|yoga|bik(e|es|ing)|cycling|hik(e|ing)|swim\w*)\b/i,
    reply:
      'Begin easier than feels right. Three times a week, slow enough to hold a conversation, and add no more than a tenth ' +
      'each week. Sleep does half of the training. If something hurts on one side only, rest it before you push it.',
  },
  {
    words: /\b(garden\w*|plants?|tomato\w*|lawn|balcony|soil|seeds?)\b/i,
    reply:
      'Look at the light first: count the hours of direct sun before you choose what to grow. Water deeply and seldom, in ' +
      'the morning, at the root. Feed the soil, not the plant, and begin with something forgiving.',
  },
  {
    words: /\b(sleep\w*|mattress|insomnia|pillow|bed ?time|nap)\b/i,
    reply:
      'Keep the time you get up the same for two weeks, weekends too; the rest follows. Dim the lights an hour before bed, ' +
      'keep the room cool, and put whatever buzzes in another room.',
  },
  {
    words: /\b(laptop|phone|headphones?|computer|camera|monitor|keyboard|wi-?fi)\b/i,
    reply:
      'Start from what annoys you about the one you have; that is the only specification that matters. Then set a price, ' +
      'halve the list of wishes, and prefer what can be repaired. Last year’s model is usually the sensible one.',
  },
  {
    words: /\b(sav(e|ings?)|budget\w*|loan|bank|mortgage|insurance|tax(es)?|invest\w*)\b/i,
    reply:
      'Write down a month as it is before you change anything. Then move the money on the day it arrives, not what is left ' +
      'at the end. Pay off whatever costs the most interest first, and keep three months of rent where you can reach it.',
  },
  {
    words:
      /^\W*(hi|hello|hey|good (morning|evening)|how are you|thanks|thank you|what'?s up|tell me a joke)\b.{0,30}$/i,
    reply:
      'Hello! Nice to have you here. I am only a handful of scripts, but a cheerful one. What are you up to today?',
  },
];

const ANYTHING_ELSE =
  'Let me think along with you. What would a good outcome look like, a week from now? Name the one thing that stands in ' +
  'the way, try the smallest step that would move it, and see what that teaches you. I am a script, so I cannot know the ' +
  'details; but that order rarely fails.';

/** @param {string} message what the visitor typed */
export const replyTo = (message) => TOPICS.find(({ words }) => words.test(message))?.reply ?? ANYTHING_ELSE;

/** Openers that show both: an ad, and none. */
export const SUGGESTIONS = [
  ['A weekend in Lisbon', 'I’m planning a long weekend in Lisbon. Where should I stay, and what should I pack?'],
  [
    'Sharper kitchen knives',
    'My kitchen knives are blunt and I cook every evening. How do I get better at chopping vegetables?',
  ],
  ['A puppy that chews', 'Our new puppy chews everything in the house. What can I do?'],
  ['Just saying hello', 'Hello, how are you?'],
  ['A hard week', 'My father passed away on Monday and I don’t know how to get through the funeral.'],
];
