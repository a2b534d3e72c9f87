// Tests that do not say otherwise run with the fast profile, as do the processes that they start: what they are about
// does not depend on the encoder, and the larger one takes several times as long.
process.env['PROFILE'] ??= 'fast';
// Likewise without the encoder of other languages.
process.env['LANGUAGES'] ??= 'en';
