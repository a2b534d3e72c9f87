import type { MatchRequest } from '../../models/schema/match-request.js';
import type { Creative } from '../../models/schema/creative.js';
import { loadGateModel } from '../../models/safety/gate-model.js';
import { loadLexicon } from '../../models/safety/lexicon.js';
import { loadDecisionModel, type DecisionModel } from '../../models/scoring/decision-model.js';
import { lastTurnShare, sigmoid } from '../../models/scoring/query-vector.js';
import type { LoadedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { feedRules } from '../campaigns/campaigns.js';
import { expectedMicros } from '../domain/expected-value.js';
import type { DecideParts } from '../decide/create-decide.js';
import type { Asker } from '../domain/decision.js';
import { ineligibility, type Ineligibility } from '../decide/eligibility.js';
import { createGate } from '../decide/gate.js';
import { createHearing } from '../decide/hearing.js';
import { createRanker, type Scored, type Seen } from '../decide/ranker.js';
import { newest, read } from '../decide/reading/reading.js';
import { NEAR_TIE_DEPTH, winnerOf } from '../decide/winner.js';
import type { ExplainedCreative, Explanation, WhatWasRead } from './explanation.js';
import { noAd, outcomeOf, withheld } from './outcome.js';

/** Explains what a request would be answered now. Changes nothing: no reservation, no count. @throws EncoderBusyError */
export type Explain = (request: MatchRequest, asker: Asker) => Promise<Explanation>;

/** How many creatives are told of; one more when the winner is not among them. */
const ROWS = 10;
/** How many are ranked to look for the winner's place. */
const DEPTH = 50;

/** Wires the parts that decide matches into a function that tells how they come to their answer. */
export function createExplain({ encoder, index, config, campaigns = feedRules }: DecideParts): Explain {
  const model = loadDecisionModel(config.dataDir, encoder.fingerprint);
  const gate = createGate(loadGateModel(encoder.fingerprint), loadLexicon());
  const ranker = createRanker(encoder, model, createHearing(encoder, gate.turns));
  return async (request, asker) => {
    const snapshot = index.current();
    const seen = await ranker.look(read(request));
    const floor = floorOf(asker, config.floor, model);
    const word = gate.judge(seen.heard, asker.publisher.allowedTopics);
    const known = { read: whatWasRead(request, seen, model), gate: word, floor };
    if (snapshot === null || snapshot.creatives.length === 0) {
      const outcome = noAd('no-catalogue', 'No catalogue is published; make one: npm run index -- FEED');
      return { ...known, catalogue: null, keptOut: {}, rows: [], outcome };
    }
    const words = snapshot.creatives.map((creative) => ineligibility(creative, asker, campaigns));
    // The score depends on what else may be answered: it is taken from the ranking that the decision sees.
    const eligible = ranker.rank(seen, snapshot, (label) => words[label] === null, DEPTH);
    const all = ranker.rank(seen, snapshot, undefined, DEPTH);
    const earns = (label: number): number => expectedMicros(campaigns.applied(snapshot.creatives[label]!).pricing);
    const [best] = eligible;
    const winner = winnerOf(eligible.slice(0, NEAR_TIE_DEPTH), floor.value, earns) ?? best;
    const rows = rowsOf(all, eligible, winner, words, snapshot);
    const rowOf = (scored: Scored | undefined) => rows.find(({ id }) => scored && id === idOf(snapshot, scored));
    return {
      ...known,
      catalogue: { id: snapshot.id, name: snapshot.manifest.name, creatives: snapshot.creatives.length },
      keptOut: countsOf(words),
      rows,
      outcome: word.sensitive
        ? withheld(word)
        : outcomeOf(rowOf(best), rowOf(winner), floor, snapshot.creatives.length),
    };
  };
}

function floorOf({ publisher }: Asker, setting: number | null, model: DecisionModel): Explanation['floor'] {
  if (publisher.floor !== null) return { value: publisher.floor, from: 'publisher' };
  if (setting !== null) return { value: setting, from: 'setting' };
  return { value: model.floor, from: 'model' };
}

function whatWasRead({ messages }: MatchRequest, seen: Seen, model: DecisionModel): WhatWasRead {
  const { turns, whole, last } = seen.reading;
  return {
    from: messages === undefined ? 'context' : 'messages',
    turns,
    whole,
    last,
    lastTurnShare: lastTurnShare(seen.vectors, model),
    words: newest(seen.reading),
    advertisable: seen.advertisable === null ? null : sigmoid(seen.advertisable),
  };
}

function rowsOf(
  all: readonly Scored[],
  eligible: readonly Scored[],
  winner: Scored | undefined,
  words: readonly (Ineligibility | null)[],
  snapshot: LoadedSnapshot,
): ExplainedCreative[] {
  const scored = new Map(eligible.map((candidate) => [candidate.label, candidate]));
  const places = new Map(all.map(({ label }, at) => [label, at + 1]));
  const shown = all.slice(0, ROWS).map((candidate) => scored.get(candidate.label) ?? candidate);
  for (const answered of [eligible[0], winner]) {
    if (answered !== undefined && !shown.includes(answered)) shown.push(answered);
  }
  return shown.map((candidate) => {
    const { id, name, advertiser } = snapshot.creatives[candidate.label]! satisfies Creative;
    const { label, similarity, lexical, relevance, features, score } = candidate;
    const figures = { similarity, lexical, relevance, mass: features.mass, score };
    return { place: places.get(label) ?? null, id, name, advertiser, ...figures, filter: words[label] ?? null };
  });
}

function idOf({ creatives }: LoadedSnapshot, { label }: Scored): string {
  return creatives[label]!.id;
}

function countsOf(words: readonly (Ineligibility | null)[]): Explanation['keptOut'] {
  const counts: Partial<Record<Ineligibility, number>> = {};
  for (const word of words) if (word !== null) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
