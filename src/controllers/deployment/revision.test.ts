import { expect, test } from "vitest";
import { deployment, replicaSet } from "./replica-set.test-support.ts";
import { annotationsAtRevision, lastRevision, longerHistory, maxRevision } from "./revision.ts";

const at = (...revisions: (string | undefined)[]) =>
  revisions.map((revision, i) =>
    replicaSet(`rs${i}`, {
      annotations: revision === undefined ? {} : { "deployment.kubernetes.io/revision": revision },
    }),
  );

test.each<[string, (string | undefined)[], { max: bigint; last: bigint }]>([
  ["there is none", [], { max: 0n, last: 0n }],
  ["one alone has none before it", ["3"], { max: 3n, last: 0n }],
  ["the second is the last", ["1", "4", "3"], { max: 4n, last: 3n }],
  ["what has no revision counts as zero", [undefined, "2"], { max: 2n, last: 0n }],
  ["what is no number does not count", ["x", "2", "1"], { max: 2n, last: 1n }],
  [
    "revisions have 64 bits",
    ["3546343826724305832", "3546343826724305831", "9223372036854775808"],
    { max: 3546343826724305832n, last: 3546343826724305831n },
  ],
  ["two may share the highest", ["2", "2", "1"], { max: 2n, last: 2n }],
])("maxRevision, lastRevision: %s", (_, revisions, expected) => {
  const all = at(...revisions);
  expect({ max: maxRevision(all), last: lastRevision(all) }).toEqual(expected);
});

const prefix = "deployment.kubernetes.io";
const applied = "kubectl.kubernetes.io/last-applied-configuration";
type Annotations = Record<string, string>;

test.each<[string, Annotations, Annotations, bigint, Annotations]>([
  [
    "a new replica set has a revision and the deployment's shared annotations",
    { team: "a", [applied]: "{}", [`${prefix}/revision`]: "1" },
    {},
    2n,
    { team: "a", [`${prefix}/revision`]: "2" },
  ],
  [
    "a former revision is kept in the history",
    {},
    { [`${prefix}/revision`]: "1" },
    3n,
    { [`${prefix}/revision`]: "3", [`${prefix}/revision-history`]: "1" },
  ],
  [
    "earlier revisions are kept, too",
    {},
    { [`${prefix}/revision`]: "3", [`${prefix}/revision-history`]: "1" },
    5n,
    { [`${prefix}/revision`]: "5", [`${prefix}/revision-history`]: "1,3" },
  ],
  [
    "a revision never gets lower",
    { team: "b" },
    { team: "a", [`${prefix}/revision`]: "7" },
    2n,
    { team: "b", [`${prefix}/revision`]: "7" },
  ],
  [
    "a revision that is not a number is kept",
    { team: "b" },
    { team: "a", [`${prefix}/revision`]: "seven" },
    2n,
    { team: "a", [`${prefix}/revision`]: "seven" },
  ],
  ["what the deployment does not have any more stays", {}, { old: "x" }, 0n, { old: "x" }],
])("annotationsAtRevision: %s", (_, own, present, revision, expected) => {
  const { metadata } = deployment(1, { annotations: own });
  const result = annotationsAtRevision({ ...deployment(1), metadata }, present, revision);
  expect(result).toEqual(expected);
  expect(annotationsAtRevision({ ...deployment(1), metadata }, result, revision)).toBe(result);
});

test.each<[string, string, string, string | undefined]>([
  ["the first is alone", "", "1", "1"],
  ["more follow", "1,2", "5", "1,2,5"],
  ["the oldest go where there is no room", "1,2,3", "10", "2,3,10"],
  ["a revision that does not fit is not added", "1", "1234567", undefined],
])("longerHistory: %s", (_, history, revision, expected) => {
  expect(longerHistory(history, revision, 6)).toBe(expected);
});
