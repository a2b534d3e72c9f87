import { expect } from 'chai';
import { loadLexicon } from '../../../models/safety/lexicon.js';

/** By language: explicit statements of distress, and harmless ones that sound similar. */
const LINES: Readonly<Record<string, { readonly explicit: readonly string[]; readonly harmless: readonly string[] }>> =
  {
    ar: {
      explicit: ['عايز أموت', 'لا أريد أن أعيش', 'زوجي بيضربني كل يوم', 'أَبِي مَاتَ أمس', 'خسرت كل فلوسي في القمار'],
      harmless: ['هموت من الجوع', 'متت من الضحك', 'بموت فيك', 'الموبايل مات', 'إزاي أقتل الزعيم في اللعبة'],
    },
    de: {
      explicit: [
        'Ich will nicht mehr leben',
        'ich moechte einfach sterben',
        'i mag nimmer leben',
        'Mein Mann schlägt mich',
        'mein Vater ist gestern gestorben',
        'Ohne mich wären alle besser dran',
      ],
      harmless: [
        'ich sterbe vor Hunger',
        'mein Handy ist gestorben',
        'die Hitze bringt mich um',
        'wie töte ich den Boss in Elden Ring?',
        'zum Sterben schön',
        'ich will nicht mehr in Berlin leben',
      ],
    },
    es: {
      explicit: ['me quiero morir', 'ya no quiero vivir', 'Mi marido me pega', 'murió mi papá ayer', 'kiero matarme'],
      harmless: [
        'me muero de risa',
        'quiero morirme de risa con una peli',
        'se me murió el celular',
        'cómo mato al jefe final',
        'ya no quiero vivir en Madrid',
        'mi mamá me va a matar',
      ],
    },
    fr: {
      explicit: [
        "j'ai envie de mourir",
        'je veux plus vivre',
        'Mon mari me frappe',
        'mon père est décédé hier',
        'tout le monde serait mieux sans moi',
      ],
      harmless: [
        'je meurs de faim',
        'je suis mort de rire',
        'mon portable est mort',
        'comment tuer le boss ?',
        'je ne veux plus vivre à Paris',
        "idées pour l'enterrement de vie de garçon",
      ],
    },
    hi: {
      explicit: [
        'मैं मरना चाहता हूँ',
        'जीने का मन नहीं करता',
        'main marna chahti hu',
        'mera pati mujhe marta hai',
        'पापा गुज़र गए',
      ],
      harmless: [
        'भूख से मर रहा हूँ',
        'bhook se mar raha hu',
        'hass hass ke mar gaya',
        'फोन मर गया',
        'boss ko kaise maare game me',
      ],
    },
    it: {
      explicit: [
        'voglio morire',
        'non voglio più vivere',
        'mio marito mi picchia',
        'ieri è morto mio padre',
        'voglio farla finita',
      ],
      harmless: [
        'muoio dalla voglia di un gelato',
        'sto morendo di fame',
        'voglio morire dal ridere',
        'mi è morto il telefono',
        'come si uccide il boss?',
        'buono da morire',
      ],
    },
    ja: {
      explicit: [
        'もう死にたい',
        '生きていたくない',
        '夫に殴られました',
        '昨日、父が亡くなりました',
        'リスカがやめられない',
      ],
      harmless: [
        '死ぬほど美味しい',
        'お腹すいて死にそう',
        '笑い死にする',
        'スマホが死んだ',
        'ボスの倒し方',
        '暑くて死ぬ',
      ],
    },
    nl: {
      explicit: [
        'ik wil dood',
        'ik wil niet meer leven',
        'mijn man slaat me',
        'mijn vader is gisteren overleden',
        'ik denk aan zelfmoord',
      ],
      harmless: [
        'ik sterf van de honger',
        'ik lach me dood',
        'mijn telefoon is dood',
        'hoe dood ik de eindbaas?',
        'ik wil niet meer in Utrecht leven',
      ],
    },
    pl: {
      explicit: ['chcę umrzeć', 'nie chce juz zyc', 'mąż mnie bije', 'wczoraj zmarł mój tata', 'chcę się zabić'],
      harmless: [
        'umieram ze śmiechu',
        'umieram z głodu',
        'padł mi telefon',
        'jak zabić bossa?',
        'nie chcę żyć w Warszawie',
        'gol samobójczy',
      ],
    },
    pt: {
      explicit: ['quero morrer', 'não quero mais viver', 'meu marido me bate', 'meu pai morreu ontem', 'vou me matar'],
      harmless: [
        'tô morrendo de fome',
        'quero morrer de rir',
        'meu celular morreu',
        'como matar o chefão?',
        'minha mãe vai me matar',
        'não quero mais viver em São Paulo',
      ],
    },
    tr: {
      explicit: [
        'ÖLMEK İSTİYORUM',
        'artık yaşamak istemiyorum',
        'kocam beni dövüyor',
        'babam dün öldü',
        'INTIHAR etmek istiyorum',
      ],
      harmless: [
        'açlıktan ölüyorum',
        'gülmekten öldüm',
        'telefonum öldü',
        'boss nasıl öldürülür',
        'uğruna ölünecek tatlı',
      ],
    },
    zh: {
      explicit: ['我想死', '不想活了', '我老公打我', '我爸爸昨天去世了', '我想自殺'],
      harmless: ['笑死我了', '饿死了', '手机没电死机了', '怎么打死boss', '想死你了', '热死人了'],
    },
  };

describe('explicit wording', () => {
  const lexicon = loadLexicon();

  for (const [language, { explicit, harmless }] of Object.entries(LINES)) {
    for (const line of explicit) {
      it(`detects "${line}" (${language})`, () => expect(lexicon.explicitTopics(line)).to.not.deep.equal([]));
    }
    for (const line of harmless) {
      it(`accepts "${line}" (${language})`, () => expect(lexicon.explicitTopics(line)).to.deep.equal([]));
    }
  }

  it('names the topic', () => {
    expect(lexicon.explicitTopics('mio marito mi picchia')).to.deep.equal(['abuse']);
    expect(lexicon.explicitTopics('昨日、父が亡くなりました')).to.deep.equal(['bereavement']);
  });

  it('is quick with long texts that nearly match', () => {
    const hostile = [
      'ich will einfach nur ',
      'mi padre mi padre ',
      'मेरे पापा ',
      '死にたくな母が',
      '我老公又',
      'اريد ان ',
      '. ! ',
      'a',
    ];
    for (const piece of hostile) {
      // CPU time rather than elapsed time, which other processes affect. Backtracking would take minutes.
      const before = process.cpuUsage();
      lexicon.explicitTopics(piece.repeat(4000));
      expect(process.cpuUsage(before).user / 1000, piece).to.be.below(2000);
    }
  });
});
