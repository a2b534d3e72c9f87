/** What the demo says in German. */
export default {
  name: 'Deutsch',
  page: {
    title: 'Adjacent: Anzeigen, die zum Gespräch passen',
    language: 'Sprache',
    details: 'Entscheidungen zeigen',
    open: 'Auf die eigene Seite setzen',
    heading: 'Was beschäftigt dich?',
    hint: 'Erzähl aus dem Alltag. Wenn etwas, das man kaufen kann, wirklich hilft, steht unter der Antwort eine Anzeige; sonst steht dort nichts.',
    suggestions: 'Zum Ausprobieren',
    conversation: 'Gespräch',
    message: 'Deine Nachricht',
    placeholder: 'Frag, was du willst',
    send: 'Senden',
    honest:
      'Die Antworten sind vorbereitet, fünf in jeder Sprache: ein Sprachmodell gibt es nicht. Die Anzeigen wählt wirklich dein eigener Server aus; was du schreibst, geht an ihn und sonst nirgendwohin.',
    close: 'Schließen',
    steps:
      'Zwei Tags und ein Platz. Frag an, während dein Assistent noch schreibt, und zeig die Anzeige, wenn er fertig ist.',
    copy: 'Kopieren',
  },
  said: {
    copied: 'Kopiert.',
    refused: 'Dein Browser lässt diese Seite nicht kopieren; markiere den Text von Hand.',
    noAnswer:
      'Darauf habe ich keine Antwort: die Demo hat kein Sprachmodell, nur Antworten auf die Fragen unten. Ob unter ' +
      'dieser Zeile eine Anzeige steht, hing von dem ab, was du geschrieben hast.',
  },
  canned: [
    {
      label: 'Ein E-Bike zur Arbeit',
      message: 'Ich möchte ein E-Bike für den Weg zur Arbeit kaufen oder leasen. Worauf muss ich achten?',
      reply:
        'Auf Reichweite bei Gegenwind, einen Akku zum Herausnehmen und Bremsen, die bei Nässe halten. Leasing über den ' +
        'Arbeitgeber lohnt sich oft. Fahr zwei Modelle Probe, am besten auf deiner Strecke.',
    },
    {
      label: 'Fenster, und keine Leiter',
      message: 'Unsere Fenster sind furchtbar dreckig, und ich hasse Leitern. Wer putzt so etwas?',
      reply:
        'Ein Fensterputzer; von außen kommt er mit einer Stange bis in den dritten Stock. Frag, ob Rahmen und ' +
        'Fensterbretter im Preis sind. Alle zwei Monate kostet je Besuch meist deutlich weniger als ein einzelnes Mal.',
    },
    {
      label: 'Spanisch für den Urlaub',
      message: 'Ich möchte vor dem Sommer Spanisch sprechen lernen, am liebsten in einem Sprachkurs am Abend.',
      reply:
        'Am Anfang zählt Sprechen mehr als Grammatik: eine kleine Gruppe zweimal die Woche, dazu täglich zehn Minuten ' +
        'Wortschatz. Nach drei Monaten bestellst du im Lokal und fragst nach dem Weg.',
    },
    {
      label: 'Nur mal hallo',
      message: 'Hallo, wie geht es dir?',
      reply:
        'Hallo! Ich bin eine Handvoll vorbereiteter Antworten, und mir geht es gut. Stell mir eine der Fragen unten.',
    },
    {
      label: 'Eine schwere Woche',
      message: 'Mein Vater ist am Montag gestorben, und ich weiß nicht, wie ich die Beerdigung überstehen soll.',
      reply:
        'Das tut mir sehr leid. Es gibt dafür keinen richtigen Weg. Bitte jemanden, dem du vertraust, an dem Tag neben dir ' +
        'zu stehen, und gib ab, was andere tragen können: Anrufe, Essen, Fahrten. Du musst nicht reden, wenn es nicht geht.',
    },
  ],
};
