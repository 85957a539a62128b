// Runs suites of Kubernetes on boxes: npm run conformance -- --programs FOLDER --images ARCHIVE [OPTION…]

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { runChild } from "../../src/platform/run-child.ts";
import { readSpecResults, type SpecResult, summaryOf } from "./spec-results.ts";

const usage = `Starts a cluster of boxes, runs specs of Kubernetes' e2e.test on it, says which did not pass, and removes it.

usage: npm run conformance -- --programs FOLDER --images ARCHIVE [OPTION…]

  --programs FOLDER   has e2e.test, ginkgo and kubectl, built from a tag of Kubernetes
  --images ARCHIVE    images of the specs, as "docker save" writes them; may be repeated
  --focus REGEXP      the specs to run; "\\[Conformance\\]" if not given
  --skip REGEXP       and those of them that are left out
  --nodes N           boxes; 3 if not given
  --procs N           how many specs run at once, but for serial ones; 4 if not given
  --timeout DURATION  of each part: all but serial specs, and serial ones; 2h if not given
  --results FILE      writes the results, as JSON
  --keep              leaves the cluster running`;

const options = {
  programs: { type: "string" },
  images: { type: "string", multiple: true },
  focus: { type: "string", default: "\\[Conformance\\]" },
  skip: { type: "string" },
  nodes: { type: "string", default: "3" },
  procs: { type: "string", default: "4" },
  timeout: { type: "string", default: "2h" },
  results: { type: "string" },
  keep: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const cluster = "conformance";
// npm runs a script in the folder of the project.
const wherry = resolve("dist", "wherry.js");

const given = readArguments();
const folder = mkdtempSync(join(tmpdir(), "wherry-conformance-"));
const kubeconfig = join(folder, "kubeconfig");
const env = { ...process.env, KUBECONFIG: kubeconfig };
try {
  await up();
  const results = [...(await runSpecs("parallel")), ...(await runSpecs("serial"))];
  if (given.results !== undefined)
    writeFileSync(given.results, `${JSON.stringify(results, undefined, 2)}\n`);
  console.log(summaryOf(results));
  const passed = results.length > 0 && results.every(({ outcome }) => outcome === "passed");
  process.exitCode = passed ? 0 : 1;
} finally {
  if (given.keep) console.log(`the cluster is left: KUBECONFIG=${kubeconfig}`);
  else {
    await runChild(process.execPath, [wherry, "delete", cluster, "--yes"], { env });
    rmSync(folder, { recursive: true });
  }
}

function readArguments() {
  try {
    const { values } = parseArgs({ options });
    const { programs, images, help } = values;
    if (!help && programs !== undefined && images !== undefined)
      return {
        ...values,
        programs: resolve(programs),
        images: images.map((file) => resolve(file)),
      };
    console.log(usage);
    process.exit(help ? 0 : 2);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

/** Starts the cluster, and puts the images into its boxes. */
async function up(): Promise<void> {
  for (const file of ["e2e.test", "ginkgo", "kubectl"].map((name) => join(given.programs, name)))
    if (!existsSync(file)) throw new Error(`${file} is missing: build it from a tag of Kubernetes`);
  if (!existsSync(wherry)) throw new Error(`${wherry} is missing: npm run build`);
  const data = join(folder, "data");
  await show(process.execPath, [wherry, "up", cluster, "--nodes", given.nodes, "--data-dir", data]);
  for (const archive of given.images)
    await show(process.execPath, [wherry, "image", "load", "--cluster", cluster, archive]);
}

async function show(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { env, stdio: "inherit" });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${args.slice(1, 3).join(" ")} ended with exit code ${code}`);
}

/** Runs the specs that may run beside others, or those that may not. */
async function runSpecs(which: "parallel" | "serial"): Promise<SpecResult[]> {
  const isSerial = which === "serial";
  const report = join(folder, `${which}.json`);
  const log = `conformance-${which}.log`;
  console.log(`running ${which} specs: ${log} follows them`);
  const skip = [given.skip, isSerial ? undefined : "\\[Serial\\]"].filter(
    (one) => one !== undefined,
  );
  const args = [
    ...[`--procs=${isSerial ? 1 : given.procs}`, `--timeout=${given.timeout}`],
    ...["--no-color", "--silence-skips", `--json-report=${report}`],
    `--focus=${isSerial ? `\\[Serial\\].*${given.focus}|${given.focus}.*\\[Serial\\]` : given.focus}`,
    ...skip.map((expression) => `--skip=${expression}`),
    ...[join(given.programs, "e2e.test"), "--", "--provider=skeleton", "--disable-log-dump"],
    ...[`--kubeconfig=${kubeconfig}`, `--kubectl-path=${join(given.programs, "kubectl")}`],
  ];
  const output = createWriteStream(log);
  await once(output, "open");
  const child = spawn(join(given.programs, "ginkgo"), args, {
    env,
    stdio: ["ignore", output, output],
  });
  await once(child, "close");
  output.close();
  if (!existsSync(report)) throw new Error(`ginkgo left no report: see ${log}`);
  return readSpecResults(readFileSync(report, "utf8"));
}
