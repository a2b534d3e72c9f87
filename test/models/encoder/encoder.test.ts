import { expect } from 'chai';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { dot } from '../../../models/index/vector-index.js';
import { type Encoder, EncoderBusyError } from '../../../models/encoder/encoder.js';
import { createEncoder } from '../../../models/encoder/pool.js';
import type { WorkerData } from '../../../models/encoder/worker.js';
import { loadGateModel } from '../../../models/safety/gate-model.js';
import { PROFILES, readProfile } from '../../../models/encoder/profile.js';
import { encoderCheck } from '../../../server/operation/readiness.js';
import { readSignals } from '../../../models/encoder/signals.js';
import { eventually } from '../../support/eventually.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const bundled = () => readProfile(`${PROFILES.fast}?languages=en`, '');
const cosine = (a: Float32Array, b: Float32Array) => dot(a, 0, b);

describe('encoder', () => {
  let encoder: Encoder;
  before(async () => (encoder = await createEncoder(bundled(), { workers: 2 })));
  after(() => encoder.close());

  it('gives unit vectors of its declared length', async () => {
    const vector = await encoder.embed('User: cheap flights to Rome', 'context');
    expect(vector).to.have.length(encoder.dims).and.length(384);
    expect(cosine(vector, vector)).to.be.closeTo(1, 1e-5);
  });

  it('puts a conversation closer to an ad that fits than to one that does not', async () => {
    const [context, flights, mattress] = await Promise.all([
      encoder.embed('User: my back hurts every morning, our bed is fifteen years old', 'context'),
      encoder.embed('Fly for less. Cheap tickets to 200 cities.', 'creative'),
      encoder.embed('Sleep on it for 100 nights. A mattress that holds your back straight.', 'creative'),
    ]);
    expect(cosine(context, mattress)).to.be.above(cosine(context, flights) + 0.1);
  });

  it('uses the end of a context longer than its window', async () => {
    const old = 'User: I want to buy a used car with low mileage.\n'.repeat(400);
    const newest = 'User: what should I feed a puppy that is eight weeks old, and how often each day? '.repeat(8);
    const [long, short] = await Promise.all([encoder.embed(old + newest, 'context'), encoder.embed(newest, 'context')]);
    expect(cosine(long, short)).to.be.above(0.99);
  });

  it('uses the beginning of a creative longer than its window', async () => {
    const start = 'Running shoes for wide feet. '.repeat(20);
    const [long, short] = await Promise.all([
      encoder.embed(start + 'Fresh flowers by noon. '.repeat(200), 'creative'),
      encoder.embed(start, 'creative'),
    ]);
    expect(cosine(long, short)).to.be.above(0.99);
  });

  it('distinguishes distress from ordinary needs', async () => {
    const [grief, need] = [
      await encoder.encodeWithSignals('User: my mum died on sunday'),
      await encoder.encodeWithSignals('User: cheap skis'),
    ];
    expect(grief.signals!.sensitive.whole).to.be.above(need.signals!.sensitive.whole + 2);
    expect(need.signals!.advertisable.whole).to.be.above(grief.signals!.advertisable.whole + 2);
    expect(grief.signals!.topics).to.have.length(loadGateModel(encoder.fingerprint)!.topics.length);
  });

  it('gives a text the same vector alone and among many concurrent ones', async () => {
    const text = 'User: which bike for the city?';
    const alone = await encoder.embed(text, 'context');
    const crowd = await Promise.all(
      Array.from({ length: 24 }, (_, at) => encoder.embed(at % 3 ? text.repeat(at) : text, 'context')),
    );
    for (let at = 0; at < 24; at += 3) expect(Array.from(crowd[at]!)).to.deep.equal(Array.from(alone));
  });

  for (const [name, text] of [
    ['lone surrogates', 'User: \ud800 flights \udc00'],
    ['NUL and control characters', 'User: \u0000\u0001\u001f\u007f'],
    ['only white space', '   \n '],
    ['other scripts', 'User: مرحبا 你好 здравствуйте 🙂'],
    ['one endless word', 'x'.repeat(200_000)],
  ] as const) {
    it(`embeds ${name}`, async () => {
      const vector = await encoder.embed(text, 'context');
      expect(vector.every(Number.isFinite)).to.equal(true);
      expect(cosine(vector, vector)).to.be.closeTo(1, 1e-4);
    });
  }

  it('keeps the event loop free while it works', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await Promise.all(Array.from({ length: 60 }, (_, at) => encoder.embed(`User: text ${at} `.repeat(40), 'context')));
    clearInterval(timer);
    expect(turns).to.be.above(20);
  });
});

describe('encoder pool', () => {
  it('refuses tasks beyond its queue limit, and runs the others', async () => {
    const encoder = await createEncoder(bundled(), { workers: 1, queueLimit: 2 });
    try {
      const answers = await Promise.allSettled(
        Array.from({ length: 10 }, () => encoder.embed('User: hello', 'context')),
      );
      const refused = answers.filter((answer) => answer.status === 'rejected');
      expect(refused).to.have.length(7);
      for (const { reason } of refused) expect(reason).to.be.instanceOf(EncoderBusyError);
    } finally {
      await encoder.close();
    }
  });

  it('yields to the event loop if threads have priorities of their own', async function () {
    if (process.platform !== 'linux') this.skip();
    // The 19th field; the name in brackets before may contain spaces.
    const niceness = () =>
      readdirSync('/proc/self/task').map((id) => {
        const [, fields = ''] = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ');
        return Number(fields.split(' ')[16]);
      });
    const own = getPriority();
    const before = niceness().filter((nice) => nice > own).length;
    const encoder = await createEncoder(bundled(), { workers: 1 });
    const during = niceness().filter((nice) => nice > own).length;
    expect(during).to.be.above(before);
    expect(getPriority()).to.equal(own);
    await encoder.close();
  });

  it('does not start texts whose request was aborted', async () => {
    const encoder = await createEncoder(bundled(), { workers: 1 });
    try {
      const gone = new AbortController();
      const [begun, ...dropped] = Array.from({ length: 5 }, () =>
        encoder.encodeWithSignals('User: hello', gone.signal),
      );
      const kept = encoder.encodeWithSignals('User: hello');
      gone.abort(new Error('went away'));
      expect(encoder.waiting).to.equal(1);
      const outcomes = await Promise.all(dropped.map((each) => each.catch((error: Error) => error.message)));
      expect(new Set(outcomes)).to.deep.equal(new Set(['went away']));
      expect((await Promise.all([begun, kept])).map((encoding) => encoding!.vector.length)).to.deep.equal([384, 384]);
      const late = encoder.encodeWithSignals('User: hello', gone.signal).catch((error: Error) => error.message);
      expect([encoder.waiting, await late]).to.deep.equal([0, 'went away']);
    } finally {
      await encoder.close();
    }
  });

  it('encodes queued texts before it closes, and none after', async () => {
    const encoder = await createEncoder(bundled(), { workers: 1 });
    const waiting = Array.from({ length: 5 }, () => encoder.embed('User: hello', 'context'));
    await encoder.close();
    expect(await Promise.all(waiting)).to.have.length(5);
    const error = await encoder.embed('User: hello', 'context').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error);
  });

  it('replaces a worker that dies, and retries its text once', async () => {
    const workers: Worker[] = [];
    const spawn = (data: WorkerData) => {
      const file = workers.length === 0 ? 'test/models/encoder/mortal-worker.js' : 'models/encoder/worker.js';
      const worker = new Worker(new URL(`../../../${file}`, import.meta.url), { workerData: data });
      workers.push(worker);
      return worker;
    };
    const encoder = await createEncoder(bundled(), { workers: 1, spawn });
    const waiting = Array.from({ length: 20 }, (_, at) => encoder.embed(`User: text ${at}`, 'context'));
    expect(await Promise.all(waiting)).to.have.length(20);
    expect(workers).to.have.length(2);
    await encoder.close();
  });

  it('gives up on a text that kills two workers, and encodes the next', async () => {
    const workers: Worker[] = [];
    const spawn = (data: WorkerData) => {
      const worker = new Worker(new URL('../../../models/encoder/worker.js', import.meta.url), { workerData: data });
      workers.push(worker);
      // The first two die as soon as they get a text.
      if (workers.length < 3) worker.postMessage = () => void worker.terminate();
      return worker;
    };
    const encoder = await createEncoder(bundled(), { workers: 1, spawn });
    const error = await encoder.embed('User: poison', 'context').catch((thrown: unknown) => thrown);
    expect(error)
      .to.be.instanceOf(Error)
      .with.property('message')
      .match(/died twice/);
    expect(await encoder.embed('User: fine', 'context')).to.have.length(384);
    await encoder.close();
  });

  it('keeps trying to start a worker if one fails to start, and refuses texts immediately meanwhile', async () => {
    const workers: Worker[] = [];
    const spawn = (data: WorkerData) => {
      // The second cannot load its model.
      const profile = workers.length === 1 ? { ...data.profile, directory: '/nowhere/at-all' } : data.profile;
      const url = new URL('../../../models/encoder/worker.js', import.meta.url);
      const worker = new Worker(url, { workerData: { ...data, profile } });
      workers.push(worker);
      if (workers.length === 1) worker.postMessage = () => void worker.terminate();
      return worker;
    };
    const encoder = await createEncoder(bundled(), { workers: 1, spawn });
    const inHand = await encoder.embed('User: in hand when it died', 'context').catch((thrown: unknown) => thrown);
    expect(inHand).to.be.instanceOf(Error);
    expect(encoder.ready).to.equal(0);
    expect(encoderCheck(encoder).fault()).to.equal('no thread has loaded the model');
    const refused = await encoder.embed('User: while there is none', 'context').catch((thrown: unknown) => thrown);
    expect(refused).to.be.instanceOf(EncoderBusyError);
    await eventually(async () => expect(await encoder.embed('User: fine', 'context')).to.have.length(384));
    expect(workers).to.have.length(3);
    expect(encoderCheck(encoder).fault()).to.equal(null);
    await encoder.close();
  });

  it('names the directory of a model that does not load', async () => {
    const directory = temporaryDirectory();
    const source = bundled().directory;
    mkdirSync(path.join(directory, 'broken', 'onnx'), { recursive: true });
    for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json']) {
      cpSync(path.join(source, file), path.join(directory, 'broken', file));
    }
    writeFileSync(path.join(directory, 'broken', 'onnx', 'model_quantized.onnx'), 'not a model');
    const error = await createEncoder(readProfile('broken', directory), { workers: 1 }).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error)).to.include(path.join(directory, 'broken'));
    rmSync(directory, { recursive: true });
  });
});

describe('signals', () => {
  it('are refused if the output of that name is too short or not finite', () => {
    expect(() => readSignals(new Float32Array(1))).to.throw('"signals" must be');
    expect(() => readSignals(new Float32Array(22).fill(NaN))).to.throw('"signals" must be');
  });
});

describe('MODEL setting', () => {
  it('accepts a directory, with pooling, prefixes and lengths as parameters', () => {
    const profile = readProfile(`${bundled().directory}?pooling=cls&contextPrefix=query:%20&contextTokens=64`, '');
    expect(profile).to.include({ pooling: 'cls', contextPrefix: 'query: ', contextTokens: 64, dims: 384 });
  });

  it('reports what is missing or wrong', () => {
    expect(() => readProfile('nowhere/such-model', '')).to.throw(/no model at "nowhere\/such-model".*fetch-model/);
    expect(() => readProfile('adjacent-small?pooling=max', '')).to.throw(/pooling must be one of mean, cls/);
    expect(() => readProfile('adjacent-small?contextTokens=9999', '')).to.throw('contextTokens must be 1 to 510');
    expect(() => readProfile('adjacent-base?contextTokens=207', '')).to.throw('contextTokens must be 1 to 206');
    expect(() => readProfile('adjacent-base?creativeTokens=207', '')).to.throw('creativeTokens must be 1 to 206');
  });

  it('changes the fingerprint with a parameter that changes vectors', async () => {
    const [plain, other] = await Promise.all(
      [PROFILES.fast, `${PROFILES.fast}?contextTokens=64`].map((setting) =>
        createEncoder(readProfile(setting, ''), { workers: 1 }),
      ),
    );
    expect(plain!.fingerprint)
      .to.match(/^[0-9a-f]{16}$/)
      .and.not.equal(other!.fingerprint);
    await Promise.all([plain!.close(), other!.close()]);
  });
});
