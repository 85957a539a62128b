// Kills a cluster in the middle of rollouts: npm run rollout-crash -- [count] [seed]
import { crashRollouts } from "../../test/durability/rollout-crash.test-support.ts";

const [rollouts = 100, seed = 1] = process.argv.slice(2).map(Number);
const began = performance.now();
await crashRollouts({
  rollouts,
  seed,
  onRound(round) {
    if (round % 10 === 0) console.log(`${round} rollouts were cut off, all came to be as declared`);
  },
});
console.log(
  `${rollouts} rollouts in ${((performance.now() - began) / 1000).toFixed(0)} s, seed ${seed}`,
);
