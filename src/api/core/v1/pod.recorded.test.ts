import { expect, test } from "vitest";
import { applyDefaults } from "../../../schema/defaults.ts";
import type { Strategy } from "../../../schema/kind.ts";
import { normalise } from "../../../schema/normalise.ts";
import { At } from "../../../schema/report.ts";
import type { Draft } from "../../../schema/struct.ts";
import { type RecordedCase, recordedCases } from "../../recorded.test-support.ts";
import { Pod } from "./pod.ts";

type PodDraft = Draft<Pod>;
type Causes = readonly { reason: string; message: string; field: string }[];

/** An empty list is kept in the recorded difference; the wire form does not tell it from none. */
const unlike = /emptied$/;

const cases = recordedCases("pods").filter(({ name }) => !unlike.test(name));

test.runIf(cases.length > 0).each(cases.map((one) => [one.name, one] as const))(
  "Pod answers as recorded: %s",
  (_, { setup = [], request, response }) => {
    const world = new Map<string, PodDraft>();
    for (const step of setup) play(step, world);
    const { causes, pod } = play(request, world);
    const body = response.body as { details?: { causes: Causes } } & Record<string, unknown>;
    if (response.status === 422)
      expect(causes.map(masked)).toEqual(body.details?.causes.map(masked));
    else {
      expect(causes).toEqual([]);
      expect(specOf(pod)).toEqual(specOf(body as unknown as Pod));
    }
  },
);

function specOf({ spec, status }: Pod | PodDraft): unknown {
  return JSON.parse(
    JSON.stringify({ spec, status }).replaceAll(/kube-api-access-[a-z0-9]{5}/g, "kube-api-access"),
  );
}

const masked = <C extends { readonly message: string }>(cause: C): C => ({
  ...cause,
  message: cause.message.replaceAll(/kube-api-access-[a-z0-9]{5}/g, "kube-api-access-xxxxx"),
});

function play(
  { method, path, body }: RecordedCase["request"],
  world: Map<string, PodDraft>,
): { causes: Causes; pod: PodDraft } {
  const pod = normalise(Pod.struct, structuredClone(body))?.value as PodDraft;
  pod.metadata.namespace ??= "rec";
  pod.metadata.name ??= `${pod.metadata.generateName}xxxxx`;
  applyDefaults(Pod.struct, pod);
  const at = At.root();
  const { prepareCreate, prepareUpdate, prepareStatusUpdate } = Pod.strategy as Strategy<PodDraft>;
  const old = world.get(pod.metadata.name);
  if (method === "POST") {
    admit(pod);
    pod.metadata.creationTimestamp = "2026-01-01T00:00:00Z";
    prepareCreate?.(pod);
    Pod.validateCreate(pod as Pod, at);
  } else if (old) {
    keep(pod, old);
    if (path.endsWith("/status")) {
      prepareStatusUpdate?.(pod, old);
      Pod.validateStatusUpdate(pod as Pod, old as Pod, at);
    } else {
      prepareUpdate?.(pod, old);
      Pod.validateUpdate(pod as Pod, old as Pod, at);
    }
  }
  world.set(pod.metadata.name, pod);
  const causes = at.errors.map(({ type, message, field }) => ({ reason: type, message, field }));
  return { causes, pod };
}

function keep({ metadata, spec }: PodDraft, old: PodDraft): void {
  metadata.uid = old.metadata.uid;
  metadata.creationTimestamp = old.metadata.creationTimestamp;
  metadata.generation = old.metadata.generation;
  metadata.resourceVersion ??= "1";
  spec.priority ??= old.spec.priority;
  spec.preemptionPolicy ??= old.spec.preemptionPolicy;
  addTolerations(spec);
}

/** What admission does to a new pod: service account, priority, tolerations. */
function admit({ spec }: PodDraft): void {
  spec.serviceAccountName ??= "default";
  spec.serviceAccount = spec.serviceAccountName;
  if (spec.automountServiceAccountToken !== false) mountToken(spec);
  if (spec.priorityClassName === "system-cluster-critical") spec.priority = 2_000_000_000;
  if (spec.priorityClassName === "system-node-critical") spec.priority = 2_000_001_000;
  spec.priority ??= 0;
  spec.preemptionPolicy ??= "PreemptLowerPriority";
  addTolerations(spec);
}

function addTolerations(spec: PodDraft["spec"]): void {
  const tolerations = [...(spec.tolerations ?? [])];
  for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"])
    if (
      !tolerations.some(
        (one) => (one.key ?? key) === key && (one.effect ?? "NoExecute") === "NoExecute",
      )
    )
      tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
  spec.tolerations = tolerations;
}

function mountToken(spec: PodDraft["spec"]): void {
  const name = "kube-api-access-xxxxx";
  const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
  let used = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (container.volumeMounts?.some((mount) => mount.mountPath === mountPath)) continue;
    used = true;
    container.volumeMounts = [
      ...(container.volumeMounts ?? []),
      { name, readOnly: true, mountPath },
    ];
  }
  if (!used) return;
  const sources = [
    { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
    {
      downwardAPI: {
        items: [
          { path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } },
        ],
      },
    },
  ];
  spec.volumes = [...(spec.volumes ?? []), { name, projected: { sources, defaultMode: 420 } }];
}
