import { counterStore } from './counter-store.js';

// Increments the counter in a file the given number of times.
const [file, times] = process.argv.slice(2);
for (let time = 0; time < Number(times); time++) await counterStore(file!).change((counter) => counter.count++);
