import { dynType } from "../../src/cel/checking/cel-type.ts";
import { baseEnvironment, extendEnvironment } from "../../src/cel/checking/environment.ts";
import { compile } from "../../src/cel/compile.ts";
import { plan } from "../../src/cel/evaluation/program.ts";
import { fromJson } from "../../src/cel/values/json-value.ts";
import { verdict } from "../apiserver/apiserver-verdict.ts";
import { race } from "../race-verdict.ts";
import { typicalPod } from "../typical-pod.ts";

const rules = {
  "two numbers":
    "self.spec.terminationGracePeriodSeconds >= 0 && self.spec.terminationGracePeriodSeconds <= 3600",
  "a prefix": "self.metadata.name.startsWith('web')",
  "all containers":
    "self.spec.containers.all(c, has(c.resources) && has(c.image) && !c.image.endsWith(':latest'))",
};

/** What it takes to evaluate a rule for an object, once it is compiled. */
export async function benchRule(): Promise<void> {
  const environment = extendEnvironment(baseEnvironment(), { variables: { self: dynType } });
  console.log("\na rule, for a typical pod");
  const subjects = Object.entries(rules).map(([name, text]) => {
    const checked = compile(environment, text);
    if ("error" in checked) throw new Error(checked.error);
    const program = plan(checked);
    if ("error" in program) throw new Error(program.error);
    const run = () => {
      const self = fromJson(pod);
      const evaluated = program.evaluate((variable) => (variable === "self" ? self : undefined));
      if (!("value" in evaluated) || evaluated.value !== true)
        throw new Error(`${text}: ${JSON.stringify(evaluated)}`);
    };
    return [name, run] as const;
  });
  for (const [name, micros] of Object.entries(race(Object.fromEntries(subjects))))
    verdict(`${name}: ${micros.toFixed(2)} µs, of 10 µs`, micros / 10, { most: 1, unit: "×" });
}

const pod = {
  ...typicalPod,
  metadata: { ...typicalPod.metadata, name: "web-0" },
};
