// By default tests, and the processes that they start, use the fast profile: they do not depend on the encoder, and the
// larger one takes several times as long.
process.env['PROFILE'] ??= 'fast';
// Likewise without the multilingual encoder.
process.env['LANGUAGES'] ??= 'en';
