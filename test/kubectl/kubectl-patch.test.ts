import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires } from "../requires.ts";
import { openTour, type Row, readable, type Tour, testCommands } from "./kubectl.test-support.ts";
import { manifests } from "./kubectl-manifests.test-support.ts";

describeWith(requires("kubectl"))("kubectl patches", () => {
  let tour: Tour;
  beforeAll(async () => {
    const grace = "spec:\n  template:\n    spec:\n      terminationGracePeriodSeconds: 5\n";
    const env = { EDITOR: "sed -i -f edit.sed", TMPDIR: "." };
    tour = await openTour({ ...manifests, "grace.yaml": grace }, { env });
    const created = "create -f deployment.yaml -f node.json -f pod.yaml -f config.yaml";
    expect(await tour.run(created)).toMatchObject({ code: 0 });
  });
  afterAll(() => tour.close());

  testCommands(() => tour, [...strategic, ...refused, ...otherTypes, ...setters]);

  test.each(edits)("kubectl edit %s, with %o", async (what, script, printed, code = 0) => {
    writeFileSync(join(tour.dir, "edit.sed"), `${script}\n`);
    const outcome = readable(await tour.run(`edit ${what}`));
    const shown = outcome.printed.replaceAll(/kubectl-edit-\d+/g, "kubectl-edit-N");
    expect({ code: outcome.code, printed: shown }).toEqual({ code, printed: printed.join("\n") });
  });

  testCommands(() => tour, afterwards);
});

/** A patch of the Pods of the Deployment, as an argument. */
const pods = (spec: object): string => `-p '${JSON.stringify({ spec: { template: { spec } } })}'`;
const containers = (...items: object[]): string => pods({ containers: items });
const names = "-o jsonpath='{.spec.template.spec.containers[*].name}'";

const side = containers({ name: "side", image: "side:1" });
const strategic: Row[] = [
  [`patch deploy shop ${side}`, "deployment.apps/shop patched"],
  [`patch deploy shop --type strategic ${side}`, "deployment.apps/shop patched (no change)"],
  [`get deploy shop ${names}`, "side shop"],
  [
    "patch deploy shop --patch-file grace.yaml -o jsonpath='{.spec.template.spec.terminationGracePeriodSeconds}'",
    "5",
  ],
  [
    `patch deploy shop ${pods({ "$setElementOrder/containers": [{ name: "shop" }, { name: "side" }] })} ${names}`,
    "shop side",
  ],
  [`patch deploy shop ${containers({ name: "side", $patch: "delete" })} ${names}`, "shop"],
  [
    `patch deploy shop -p '{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}' -o jsonpath='{.spec.strategy}'`,
    '{"type":"Recreate"}',
  ],
  [
    `patch deploy shop -p '{"spec":{"bogus":1,"replicas":4}}'`,
    ["deployment.apps/shop patched", 'Warning: unknown field "spec.bogus"'],
  ],
  [
    `patch deploy shop -p '{"spec":{"replicas":7}}' --dry-run=server -o jsonpath='{.spec.replicas}'`,
    "7",
  ],
  ["get deploy shop -o jsonpath='{.spec.replicas}'", "4"],
  [
    `patch pod web --subresource status -p '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'`,
    "pod/web patched",
  ],
  [
    `patch pod web --subresource status -p '{"status":{"conditions":[{"type":"Initialized","status":"True"},{"type":"Ready","status":"False"}]}}' -o jsonpath='{range .status.conditions[*]}{.type}={.status} {end}'`,
    "Initialized=True Ready=False",
  ],
];

const refused: Row[] = [
  [
    `patch deploy shop ${containers({ image: "x" })}`,
    "Error from server: map: map[image:x] does not contain declared merge key: name",
    1,
  ],
  [
    `patch deploy shop ${containers({ name: "a", $patch: "explode" })}`,
    "Error from server: unknown patch type: explode in map: map[$patch:explode name:a]",
    1,
  ],
  [
    `patch deploy shop -p '{"spec":{"strategy":{"$retainKeys":["type"],"rollingUpdate":{}}}}'`,
    "Error from server (BadRequest): invalid patch format of retainKeys",
    1,
  ],
  [
    `patch deploy shop -p '{"spec":{"replicas":"x"}}'`,
    'The request is invalid: patch: Invalid value: "map[spec:map[replicas:x]]": unrecognized type: int32',
    1,
  ],
  [
    "patch deploy shop -p '[]'",
    "Error from server (BadRequest): json: cannot unmarshal array into Go value of type map[string]interface {}",
    1,
  ],
  [
    `patch deploy shop -p '{"metadata":{"name":"other"}}'`,
    "Error from server (BadRequest): the name of the object (other) does not match the name on the URL (shop)",
    1,
  ],
  [
    `patch deploy shop -p '{"metadata":{"name":null}}'`,
    "Error from server (BadRequest): the name of the object (shop based on URL) was undeterminable: name must be provided",
    1,
  ],
  [
    `patch deploy none -p '{"spec":{"replicas":"x"}}'`,
    'Error from server (NotFound): deployments.apps "none" not found',
    1,
  ],
  [
    `patch lease none -n kube-system -p '{"spec":{"holderIdentity":"x"}}'`,
    'Error from server (NotFound): leases.coordination.k8s.io "none" not found',
    1,
  ],
];

const otherTypes: Row[] = [
  [
    `patch deploy shop --type merge ${containers({ name: "only", image: "only:1" })} ${names}`,
    "only",
  ],
  [
    `patch deploy shop --type json -p '[{"op":"add","path":"/spec/template/spec/containers/-","value":{"name":"shop","image":"shop:1"}}]' ${names}`,
    "only shop",
  ],
  [
    `patch deploy shop --type merge -p '{"spec":{"replicas":"x"}}'`,
    /^The request is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"apps\/v1\\",.*: json: cannot unmarshal string into Go struct field DeploymentSpec\.spec\.replicas of type int32$/,
    1,
  ],
  [
    `patch cm settings --type merge -p '{"kind":"Secret"}'`,
    /: converting \(v1\.Secret\) to \(core\.ConfigMap\): unknown conversion$/,
    1,
  ],
];

const setters: Row[] = [
  ["set image deploy/shop shop=shop:2", "deployment.apps/shop image updated"],
  ["set image deploy/shop shop=shop:2", ""],
  ["set image deploy/shop nope=x", 'error: unable to find container named "nope"', 1],
  ["set env deploy/shop LEVEL=debug", "deployment.apps/shop env updated"],
  ["set env deploy/shop -c shop MORE=1", "deployment.apps/shop env updated"],
  [
    "set env deploy/shop --list",
    [
      "# Deployment shop, container only",
      "LEVEL=debug",
      "# Deployment shop, container shop",
      "LEVEL=debug",
      "MORE=1",
    ],
  ],
  ["set env deploy/shop LEVEL-", "deployment.apps/shop env updated"],
  [
    "set resources deploy/shop -c shop --limits=cpu=1",
    "deployment.apps/shop resource requirements updated",
  ],
  ["set serviceaccount deploy/shop runner", "deployment.apps/shop serviceaccount updated"],
  [
    "get deploy shop -o jsonpath='{range .spec.template.spec.containers[*]}{.name} {.image} {.env} {.resources}{\"\\n\"}{end}'",
    ["only only:1  {}", 'shop shop:2 [{"name":"MORE","value":"1"}] {"limits":{"cpu":"1"}}'],
  ],
  ["rollout restart deploy/shop", "deployment.apps/shop restarted"],
  ["rollout pause deploy/shop", "deployment.apps/shop paused"],
  ["rollout pause deploy/shop", 'error: deployments.apps "shop" is already paused', 1],
  ["rollout resume deploy/shop", "deployment.apps/shop resumed"],
  ["cordon node-1", "node/node-1 cordoned"],
  ["cordon node-1", "node/node-1 already cordoned"],
  ["uncordon node-1", "node/node-1 uncordoned"],
  ["taint node node-1 k=v:NoSchedule", "node/node-1 tainted"],
  ["get node node-1 -o jsonpath='{.spec.taints[*].key}'", "k node.kubernetes.io/not-ready"],
  ["taint node node-1 k-", "node/node-1 untainted"],
  ["annotate deploy shop a=b", "deployment.apps/shop annotated"],
  ["label deploy shop a=b", "deployment.apps/shop labeled"],
];

/** An object, what the editor does with its text, what kubectl prints, and the exit code. */
const edits: [what: string, script: string, printed: string[], code?: number][] = [
  ["deploy shop", "s/replicas: .*/replicas: 9/", ["deployment.apps/shop edited"]],
  ["deploy shop", "", ["Edit cancelled, no changes made."]],
  [
    "deploy shop",
    "s/replicas: .*/replicas: -1/",
    [
      'error: deployments.apps "shop" is invalid',
      'A copy of your changes has been stored to "./kubectl-edit-N.yaml"',
      "error: Edit cancelled, no valid changes were saved.",
    ],
    1,
  ],
  [
    "cm settings",
    "s/^data:/data:\\n  added: yes/",
    [
      'error: configmaps "settings" is invalid',
      'A copy of your changes has been stored to "./kubectl-edit-N.yaml"',
      "error: Edit cancelled, no valid changes were saved.",
    ],
    1,
  ],
  ["cm settings", 's/^data:/data:\\n  added: "yes"/', ["configmap/settings edited"]],
  [
    "cm settings --output-patch",
    "/^  added:/d",
    ['Patch: {"data":{"added":null}}', "configmap/settings edited"],
  ],
];

const afterwards: Row[] = [
  [`get deploy shop -o jsonpath='{.spec.replicas}'`, "9"],
  ["get cm settings -o jsonpath='{.data}'", '{"a":"1"}'],
  ["replace -f deployment.yaml", "deployment.apps/shop replaced"],
  [`get deploy shop ${names}`, "shop"],
];
