/*
 * ONNX Runtime (from 1.30, on Linux) sends usage events to its vendor, and stores them and a machine id in the user's
 * home, unless this variable is set before it is loaded. It reads the environment of the process, which only the main
 * thread can change. So every file that starts a thread that loads it must import this file first.
 */
process.env['ORT_DISABLE_TELEMETRY'] = '1';
