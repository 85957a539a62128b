/** What became of one spec of a suite of Kubernetes. */
export interface SpecResult {
  /** The full name: containers, then the spec. */
  readonly name: string;
  readonly outcome: "passed" | "failed" | "unfinished";
  /** The first line of the failure. */
  readonly why?: string | undefined;
}

interface GinkgoReport {
  readonly SpecReports?: readonly {
    readonly LeafNodeType: string;
    readonly LeafNodeText: string;
    readonly ContainerHierarchyTexts: readonly string[] | null;
    readonly State: string;
    readonly Failure?: { readonly Message?: string } | undefined;
  }[];
}

/** Reads the specs that ran from a report of Ginkgo in JSON. */
export function readSpecResults(json: string): SpecResult[] {
  const reports = JSON.parse(json) as readonly GinkgoReport[];
  return reports.flatMap(({ SpecReports: specs = [] }) =>
    specs
      .filter(({ LeafNodeType: type, State: state }) => type === "It" && state !== "skipped")
      .map(
        ({
          ContainerHierarchyTexts: above,
          LeafNodeText: leaf,
          State: state,
          Failure: failure,
        }) => ({
          name: [...(above ?? []), leaf].join(" "),
          outcome: outcomeOf(state),
          why: state === "passed" ? undefined : (failure?.Message ?? state).split("\n")[0],
        }),
      ),
  );
}

/** Specs that were interrupted, and those that never began, say nothing of the cluster. */
function outcomeOf(state: string): SpecResult["outcome"] {
  if (state === "passed") return "passed";
  return ["failed", "panicked", "timedout"].includes(state) ? "failed" : "unfinished";
}

/** Counts by special interest group, then a line for each spec that did not pass. */
export function summaryOf(results: readonly SpecResult[]): string {
  const groups = new Map<string, { passed: number; all: number }>();
  for (const { name, outcome } of results) {
    const group = /^\[(sig-[\w-]+)\]/.exec(name)?.[1] ?? "others";
    const counts = groups.get(group) ?? { passed: 0, all: 0 };
    counts.all++;
    if (outcome === "passed") counts.passed++;
    groups.set(group, counts);
  }
  const counted = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, { passed, all }]) => `${group}: ${passed} of ${all}`);
  const others = results
    .filter(({ outcome }) => outcome !== "passed")
    .map(({ name, outcome, why }) => `${outcome}: ${name}\n    ${why}`);
  const passed = results.filter(({ outcome }) => outcome === "passed").length;
  return [...others, ...counted, `${passed} of ${results.length} passed`].join("\n");
}
