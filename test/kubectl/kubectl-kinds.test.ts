import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "../../src/api/kinds.generated.ts";
import { apiVersionOf, type Kind, resourceOf } from "../../src/schema/language/kind.ts";
import { describeWith, requires } from "../requires.ts";
import { type Outcome, openTour, readable, type Tour } from "./kubectl.test-support.ts";
import {
  type Manifest,
  manifestBodies,
  manifestKey,
  manifestOf,
} from "./kubectl-kinds-manifests.test-support.ts";

/** What is stable and can be created by itself: a binding is an act on a pod. */
const creatable = kinds.filter(
  ({ stability, verbs, kind }) =>
    stability === "stable" && verbs.includes("create") && kind !== "Binding",
);

/** Older clients describe some stable kinds by their betas. */
const runtimeConfig = { "networking.k8s.io/v1beta1": true, "storage.k8s.io/v1beta1": true };

test("every stable kind that can be created has a manifest, and no other has", () => {
  expect(Object.keys(manifestBodies).sort()).toEqual(creatable.map(manifestKey).sort());
});

describeWith(requires("kubectl"))("kubectl works with every stable kind", () => {
  let tour: Tour;
  beforeAll(async () => {
    tour = await openTour({}, { runtimeConfig });
  });
  afterAll(() => tour.close());

  for (const kind of creatable) {
    const manifest = manifestOf(kind);
    if (!manifest) continue;
    const check = kind.isStored ? handled : answered;
    // The runner bounds how many of these run at once.
    test.concurrent(`kubectl and ${manifestKey(kind)}`, () => check(tour, kind, manifest), 60_000);
  }
});

/** Checks the life of an object: it is created, shown in all ways, and deleted. */
async function handled(tour: Tour, kind: Kind, manifest: Manifest): Promise<void> {
  const { name } = manifest;
  const { plural, version, group } = kind;
  const object = `${plural}.${version}.${group} ${name}`;
  const type = resourceOf({ group, plural: kind.singular });
  expect({
    create: lines(await tour.run(`create -f ${fileOf(tour, manifest)}`)),
    get: table(await tour.run(`get ${object}`)),
    wide: table(await tour.run(`get ${object} -o wide`)),
    describe: lines(await tour.run(`describe ${object}`)),
    explain: explanation(
      await tour.run(`explain ${plural} --api-version=${apiVersionOf(kind)} --recursive`),
    ),
    delete: lines(await tour.run(`delete ${object} --wait=false`)),
  }).toEqual({
    create: linesWith(`${type}/${name} created`),
    get: tableOf(kind, name, "narrow"),
    wide: tableOf(kind, name, "wide"),
    describe: linesWith(`Name:  ${name}`),
    explain: {
      code: 0,
      kind: kind.kind,
      version,
      fields: Object.keys(kind.struct.fields).sort(),
    },
    delete: linesWith(`${type} "${name}" deleted`),
  });
}

/** Checks a question that is answered and not kept. */
async function answered(tour: Tour, kind: Kind, manifest: Manifest): Promise<void> {
  expect(lines(await tour.run(`create -f ${fileOf(tour, manifest)} -o yaml`))).toEqual(
    linesWith(`apiVersion: ${apiVersionOf(kind)}`, `kind: ${kind.kind}`, "status:"),
  );
}

function fileOf({ dir }: Tour, { name, yaml }: Manifest): string {
  const file = `${name}.yaml`;
  writeFileSync(join(dir, file), yaml);
  return file;
}

function lines(outcome: Outcome): unknown {
  const { code, printed } = readable(outcome);
  return { code, lines: printed.split("\n") };
}

const linesWith = (...some: readonly string[]): unknown => ({
  code: 0,
  lines: expect.arrayContaining([...some]),
});

/** What was explained, as far as it does not lie in a field. */
function explanation({ code, printed }: Outcome): unknown {
  return {
    code,
    kind: /^KIND: +(.*)$/m.exec(printed)?.[1],
    version: /^VERSION: +(.*)$/m.exec(printed)?.[1],
    fields: [...printed.matchAll(/^ {2}(\w+)\t</gm)].map(([, name]) => name).sort(),
  };
}

/** The headings and the rows that were printed; warnings follow them. */
function table(outcome: Outcome): unknown {
  const { code, printed } = readable(outcome);
  const [headings = "", ...rows] = printed.replaceAll(/\nWarning: .*/g, "").split("\n");
  return { code, headings: headings.split("  "), rows: rows.map((row) => row.split("  ")) };
}

/** The table of one object: its name is in the column of names, where that is shown. */
function tableOf({ columns }: Kind, name: string, width: "narrow" | "wide"): unknown {
  const shown = columns.filter((column) => !column.unnamed && (width === "wide" || !column.wide));
  const isNamed = shown.some((column) => column.name === "Name");
  return {
    code: 0,
    headings: shown.map((column) => column.name.toUpperCase()),
    rows: [expect.arrayContaining(isNamed ? [name] : [])],
  };
}
