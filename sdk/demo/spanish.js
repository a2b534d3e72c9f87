/** What the demo says in Spanish. */
export default {
  name: 'Español',
  page: {
    title: 'Adjacent: anuncios que siguen la conversación',
    language: 'Idioma',
    details: 'Ver decisiones',
    open: 'Ponlo en tu página',
    heading: '¿Qué tienes en mente?',
    hint: 'Habla de la vida diaria. Cuando algo que se puede comprar ayudaría de verdad, aparece un anuncio bajo la respuesta; si no, no aparece nada.',
    suggestions: 'Prueba con una de estas',
    conversation: 'Conversación',
    message: 'Tu mensaje',
    placeholder: 'Pregunta lo que quieras',
    send: 'Enviar',
    honest:
      'Las respuestas están preparadas, cinco en cada idioma: no hay ningún modelo de lenguaje. Los anuncios los elige de verdad tu propio servidor; lo que escribes va allí y a ningún otro sitio.',
    close: 'Cerrar',
    steps: 'Dos etiquetas y un hueco. Pide el anuncio mientras tu asistente escribe y muéstralo cuando haya terminado.',
    copy: 'Copiar',
  },
  said: {
    copied: 'Copiado.',
    refused: 'Tu navegador no deja copiar a esta página; selecciona el texto a mano.',
    noAnswer:
      'Para esto no tengo respuesta: la demo no tiene modelo de lenguaje, solo respuestas a las preguntas de abajo. Si ' +
      'bajo esta línea aparece un anuncio o no, se ha decidido por lo que has escrito.',
  },
  canned: [
    {
      label: 'Un grifo que gotea',
      message: 'Necesito un fontanero hoy: tengo un grifo que gotea y una fuga en la cocina.',
      reply:
        'Cierra antes la llave de paso de debajo del fregadero. Suele ser la junta o el cartucho, media hora de trabajo. ' +
        'Pide el precio del desplazamiento y de la hora antes de que venga, y la factura con garantía.',
    },
    {
      label: 'Un puente en Asturias',
      message: 'Busco casa rural con chimenea para el puente de mayo: somos ocho amigos, mejor en Asturias.',
      reply:
        'Para mar y montaña, entre Llanes y Cangas de Onís: la playa y los Picos quedan a media hora. Mirad que la casa se ' +
        'alquile entera, cuántos baños tiene y si la calefacción va aparte. Para mayo conviene reservar ya.',
    },
    {
      label: 'Inglés para Dublín',
      message: 'Quiero aprender inglés antes de irme a trabajar a Dublín en septiembre.',
      reply:
        'Un poco cada día vale más que una clase larga a la semana. Empieza por lo que dirás en el trabajo, escucha la ' +
        'radio irlandesa para hacerte al acento y habla con una persona desde la primera semana.',
    },
    {
      label: 'Solo saludar',
      message: 'Hola, ¿qué tal?',
      reply: '¡Hola! Soy un puñado de respuestas preparadas, y estoy bien. Hazme una de las preguntas de abajo.',
    },
    {
      label: 'Una semana difícil',
      message: 'Mi padre murió el lunes y no sé cómo voy a aguantar el funeral.',
      reply:
        'Lo siento muchísimo. No hay una manera correcta de pasarlo. Que ese día esté a tu lado alguien de confianza, y ' +
        'deja que otros carguen con lo que se pueda: las llamadas, la comida, el coche. Si no puedes hablar, no hace falta.',
    },
  ],
};
