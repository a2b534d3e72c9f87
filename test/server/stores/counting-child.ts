import { counterStore } from './counter-store.js';

// Adds one to the counter in a file, so often as asked.
const [file, times] = process.argv.slice(2);
for (let time = 0; time < Number(times); time++) await counterStore(file!).change((counter) => counter.count++);
