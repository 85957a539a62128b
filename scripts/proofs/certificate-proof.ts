// Renews and rotates certificates under load:
// npm run certificate-proof -- [seconds of a certificate] [seconds] [clients] [milliseconds between requests]
import { proveCertificates } from "../../test/certificate-renewal/certificate-proof.test-support.ts";

const [life = 120, seconds = 600, clients = 32, pauseMs = 500] = process.argv.slice(2).map(Number);
const began = performance.now();
const say = (text: string): void =>
  console.log(`${((performance.now() - began) / 1000).toFixed(0)} s: ${text}`);
const { failures, ...rest } = await proveCertificates({
  ...{ lifetimeMs: life * 1000, durationMs: seconds * 1000, clients, pauseMs, say },
});
console.log(rest);
for (const failure of failures.slice(0, 20)) console.error(failure);
const { failedHandshakes, unauthorized } = rest.counted;
console.log(`${failures.length} failed requests`);
process.exit(failures.length + failedHandshakes + unauthorized === 0 ? 0 : 1);
