// Kills what writes to a store, or the members of an etcd, again and again, and checks what is left:
// npm run crash -- [--backend lmdb|etcd] [--rounds 1000] [--seed N]
import { parseArgs } from "node:util";
import { crashEtcd } from "./crash-etcd.ts";
import { crashLmdb } from "./crash-rounds.ts";
import { type WriterOptions, writeUntilKilled } from "./crash-writer.ts";

const [, program = "", mode, writerOptions] = process.argv;
if (mode === "writer") await writeUntilKilled(JSON.parse(writerOptions ?? "") as WriterOptions);
else await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      backend: { type: "string", default: "lmdb" },
      rounds: { type: "string", default: "1000" },
      seed: { type: "string" },
    },
  });
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const options = { seed, rounds: Number(values.rounds), report: console.log };
  if (values.backend === "etcd") await crashEtcd(options);
  else if (values.backend === "lmdb") await crashLmdb(program, options);
  else throw new TypeError(`there is no backend ${values.backend}: lmdb and etcd are there`);
}
