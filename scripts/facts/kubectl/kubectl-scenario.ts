import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { yamlToJson } from "../../../src/schema/yaml/yaml.ts";

/** Command lines that run one after another in a cluster of their own. */
export interface KubectlScenario {
  readonly name: string;
  /** The number of simulated nodes; with any number, even 0, controllers and the scheduler run. Without, there is only the API server. */
  readonly nodes?: number;
  /** API versions that are enabled or disabled, such as `autoscaling/v2`. */
  readonly runtimeConfig?: Readonly<Record<string, boolean>>;
  /** Files in the folder where the command lines run, by their relative paths. */
  readonly files?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

export type Step = CommandStep | AdvanceStep;

/** A command line without `kubectl`; a text stands for `{ run: text }`. */
export interface CommandStep {
  readonly run: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the cluster's time goes on while the command runs: it waits for something. */
  readonly timePasses?: boolean;
  /** Whether the order of its requests may differ: it sends some side by side. */
  readonly anyOrder?: boolean;
  /** What is known to be different here, with the reason: the part takes the place of what was recorded. */
  readonly ours?: Partial<Omit<Outcome, "exitCode">> & { readonly reason: string };
}

/** The time of the cluster goes on by a duration. */
export interface AdvanceStep {
  readonly advance: string;
}

/** What a command line did, without what differs from run to run. */
export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** Method, path, query, media types and body of each request, but for discovery. */
  readonly requests: readonly string[];
}

/** The outcomes of a file's scenarios, by name, each in the order of its commands. */
export interface Recording {
  /** The time, in milliseconds, that the recording kubectl had: ages depend on it. */
  readonly now: number;
  readonly outcomes: Readonly<Record<string, readonly Outcome[]>>;
}

const folder = join(import.meta.dirname, "..", "..", "..", "test", "facts", "kubectl");

/** The names of all files of scenarios. */
export const scenarioFiles = (): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => file.slice(0, -".yaml".length))
    .sort();

/** The scenarios of a file, in its order. */
export function readScenarios(name: string): KubectlScenario[] {
  const text = readFileSync(join(folder, `${name}.yaml`), "utf8");
  const scenarios = yamlToJson(text) as readonly (Omit<KubectlScenario, "steps"> & {
    readonly steps: readonly (Step | string)[];
  })[];
  return scenarios.map(({ steps, ...scenario }) => ({
    ...scenario,
    steps: steps.map((step) => (typeof step === "string" ? { run: step } : step)),
  }));
}

export const recordingPath = (name: string): string => join(folder, `${name}.recorded.json`);

export const readRecording = (name: string): Recording =>
  JSON.parse(readFileSync(recordingPath(name), "utf8")) as Recording;
