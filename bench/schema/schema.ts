import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { Pod } from "../../src/api/core/v1/pod/pod.ts";
import { decodeJson } from "../../src/schema/json/decode.ts";
import { encodeJson } from "../../src/schema/json/json.ts";
import { applyDefaults } from "../../src/schema/language/defaults.ts";
import { canonicalise } from "../../src/schema/language/normalise.ts";
import { At } from "../../src/schema/language/report.ts";
import { encodeProtobuf } from "../../src/schema/protobuf/protobuf.ts";
import { decodeProtobuf } from "../../src/schema/protobuf/protobuf-decode.ts";
import { median, printRace, race, verdict } from "../race-verdict.ts";
import { typicalPod } from "../typical-pod.ts";

console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}`);
const text = JSON.stringify(typicalPod);

function decodeDefaultValidate(): unknown {
  const { value, strict } = decodeJson(Pod.struct, text);
  if (strict.length > 0) throw new Error(`strict: ${strict.join(", ")}`);
  applyDefaults(Pod.struct, value);
  const at = At.root();
  Pod.validateCreate(value as Pod, at);
  if (at.errors.length > 0) throw new Error(JSON.stringify(at.errors));
  return value;
}
const pod = canonicalise(Pod.struct, decodeDefaultValidate());
const bytes = encodeProtobuf(Pod.struct, pod);

const results = race({
  "JSON.parse": () => JSON.parse(text),
  "decode, strict": () => decodeJson(Pod.struct, text),
  "decode, default, validate": decodeDefaultValidate,
  "JSON.stringify": () => JSON.stringify(pod),
  "encode JSON": () => encodeJson(Pod.struct, pod),
  "encode protobuf": () => encodeProtobuf(Pod.struct, pod),
  "decode protobuf": () => decodeProtobuf(Pod.struct, bytes),
});
const reference = results["JSON.parse"] ?? Number.NaN;
console.log(`\na Pod of ${text.length} bytes, against JSON.parse in this run:`);
printRace(results);
verdict(
  "decode, default and validate a Pod",
  (results["decode, default, validate"] ?? 0) / reference,
  6,
);

const loading = await measureLoading();
console.log(
  `\nloading: node -e 0 ${loading.bare.toFixed(1)} ms, with the API ${loading.api.toFixed(1)} ms`,
);
verdict("loading the API declared, to node -e 0", (loading.api - loading.bare) / loading.bare, 0.5);

/** Starts Node with nothing, and with a bundle of all declarations, in turns. */
async function measureLoading(): Promise<{ bare: number; api: number }> {
  const dir = mkdtempSync(join(tmpdir(), "wherry-bench-"));
  try {
    const common = {
      bundle: true,
      platform: "node",
      packages: "external",
      charset: "ascii",
      minifySyntax: true,
      minifyWhitespace: true,
    } as const;
    const bundle = join(dir, "api.cjs");
    await build({
      ...common,
      entryPoints: ["src/api/kinds.generated.ts"],
      format: "cjs",
      outfile: bundle,
    });
    // As the program starts: from the code that its first start has compiled.
    const main = join(dir, "main.mjs");
    const contents = `import { loadBundle } from "./src/platform/code-cache.ts";
      const api = loadBundle(${JSON.stringify(bundle)});
      if (api.exports.kinds.length === 0) process.exit(1);
      if (!api.wasCached) api.keep();`;
    await build({ ...common, stdin: { contents, resolveDir: "." }, format: "esm", outfile: main });
    timed([main]);
    const bare: number[] = [];
    const api: number[] = [];
    for (let i = 0; i < 15; i++) {
      bare.push(timed(["-e", "0"]));
      api.push(timed([main]));
    }
    return { bare: median(bare), api: median(api) };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function timed(args: readonly string[]): number {
  const start = performance.now();
  execFileSync(process.execPath, args);
  return performance.now() - start;
}
