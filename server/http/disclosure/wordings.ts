/** The texts of a disclosure in one language. */
interface Wording {
  readonly title: string;
  /**
   * By what the ad was chosen. It says what holds for every decision: only the conversation and settings of publisher
   * and advertiser count, and of the conversation nothing is stored.
   */
  readonly reason: string;
  /** Precedes the payer's name. */
  readonly paidBy: string;
}

/**
 * Returns the texts in an ad's language, or else in English, with the tag of their language.
 *
 * @param tag BCP 47, as a feed declares it; absent: unknown
 */
export function wordingFor(tag: string | undefined): Wording & { readonly language: string } {
  const language = keysOf(tag).find((key) => Object.hasOwn(WORDINGS, key)) ?? 'en';
  return { language, ...WORDINGS[language]! };
}

/** Returns a tag's language with its script, which tells the two ways to write Chinese apart, and its language. */
function keysOf(tag: string | undefined): string[] {
  if (tag === undefined) return [];
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return [`${language}-${script}`, language];
  } catch {
    // Any text of the right form is accepted from a feed, also one that is no tag.
    return [];
  }
}

/** The languages for which the script has labels. */
const WORDINGS: Readonly<Record<string, Wording>> = {
  en: {
    title: 'Why this ad?',
    reason:
      'This ad was chosen by what this conversation is about, not by a profile of you. The ad service does not store ' +
      'the conversation.',
    paidBy: 'Paid for by: ',
  },
  ar: {
    title: 'لماذا هذا الإعلان؟',
    reason: 'اختير هذا الإعلان وفقًا لموضوع هذه المحادثة، وليس وفقًا لملف شخصي. ولا تخزّن خدمة الإعلانات المحادثة.',
    paidBy: 'مدفوع من: ',
  },
  de: {
    title: 'Warum diese Anzeige?',
    reason:
      'Diese Anzeige wurde nach dem Thema dieses Gesprächs ausgewählt, nicht nach einem persönlichen Profil. Der ' +
      'Anzeigendienst speichert das Gespräch nicht.',
    paidBy: 'Bezahlt von: ',
  },
  es: {
    title: '¿Por qué este anuncio?',
    reason:
      'Este anuncio se ha elegido por el tema de esta conversación, no por un perfil personal. El servicio de ' +
      'anuncios no guarda la conversación.',
    paidBy: 'Pagado por: ',
  },
  fr: {
    title: 'Pourquoi cette publicité\u00a0?',
    reason:
      'Cette publicité a été choisie d’après le sujet de cette conversation, et non d’après un profil personnel. Le ' +
      'service publicitaire n’enregistre pas la conversation.',
    paidBy: 'Payée par\u00a0: ',
  },
  hi: {
    title: 'यह विज्ञापन क्यों?',
    reason:
      'यह विज्ञापन इस बातचीत के विषय के आधार पर चुना गया है, किसी व्यक्तिगत प्रोफ़ाइल के आधार पर नहीं। विज्ञापन सेवा बातचीत को ' +
      'संग्रहीत नहीं करती।',
    paidBy: 'भुगतानकर्ता: ',
  },
  it: {
    title: 'Perché questo annuncio?',
    reason:
      'Questo annuncio è stato scelto in base all’argomento di questa conversazione, non a un profilo personale. Il ' +
      'servizio pubblicitario non conserva la conversazione.',
    paidBy: 'Pagato da: ',
  },
  ja: {
    title: 'この広告が表示される理由',
    reason:
      'この広告は、個人のプロフィールではなく、この会話の話題に基づいて選ばれました。広告サービスは会話を保存しません。',
    paidBy: '広告費の支払者：',
  },
  nl: {
    title: 'Waarom deze advertentie?',
    reason:
      'Deze advertentie is gekozen op basis van het onderwerp van dit gesprek, niet op basis van een persoonlijk ' +
      'profiel. De advertentiedienst slaat het gesprek niet op.',
    paidBy: 'Betaald door: ',
  },
  pl: {
    title: 'Dlaczego ta reklama?',
    reason:
      'Tę reklamę wybrano na podstawie tematu tej rozmowy, a nie profilu użytkownika. Serwis reklamowy nie ' +
      'przechowuje rozmowy.',
    paidBy: 'Opłacona przez: ',
  },
  pt: {
    title: 'Por que este anúncio?',
    reason:
      'Este anúncio foi escolhido pelo tema desta conversa, e não por um perfil pessoal. O serviço de anúncios não ' +
      'armazena a conversa.',
    paidBy: 'Pago por: ',
  },
  tr: {
    title: 'Neden bu reklam?',
    reason:
      'Bu reklam, kişisel bir profile göre değil, bu sohbetin konusuna göre seçildi. Reklam hizmeti sohbeti saklamaz.',
    paidBy: 'Ödeyen: ',
  },
  zh: {
    title: '为什么会看到此广告？',
    reason: '此广告是根据本次对话的主题选出的，而不是根据个人画像。广告服务不会保存对话内容。',
    paidBy: '付费方：',
  },
  'zh-Hant': {
    title: '為什麼會看到這則廣告？',
    reason: '這則廣告是依本次對話的主題選出的，而不是依個人側寫。廣告服務不會儲存對話內容。',
    paidBy: '付費方：',
  },
};
