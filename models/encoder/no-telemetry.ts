/*
 * ONNX Runtime (from 1.30, on Linux) sends usage events to its maker, and keeps them and an id of the machine in the
 * user's home, unless this stands in the environment before it is loaded. It reads the process's own environment, which
 * only the main thread can change: so whatever starts a thread that loads it imports this file too, first.
 */
process.env['ORT_DISABLE_TELEMETRY'] = '1';
