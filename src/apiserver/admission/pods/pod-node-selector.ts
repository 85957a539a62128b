import { Namespace } from "../../../api/core/v1/namespace.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { forbidden, internalError, StatusError } from "../../../api/meta/v1/status-error.ts";
import { setMember } from "../../../schema/json/strict-json.ts";
import { isQualifiedName, isValidLabelValue } from "../../../schema/values/names.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { Reader } from "../../objects/reader.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import { objectOf } from "../typed-attributes.ts";
import { isPod, type PodDraft, podOf } from "./pod.ts";

const annotation = "scheduler.alpha.kubernetes.io/node-selector";

export interface PodNodeSelectorSetup {
  readonly reader: Reader;
  /** Selectors by namespace: all that pods of it may select; and by `clusterDefaultNodeSelector`. */
  readonly selectors?: Readonly<Record<string, string>> | undefined;
}

/** Pods run on the nodes that their namespace, or else the cluster, has for them. */
export function podNodeSelector(setup: PodNodeSelectorSetup): AdmissionPlugin {
  const { reader, selectors = {} } = setup;
  const wantedIn = async (namespace: string): Promise<Labels> => {
    const found = await reader.get(Namespace, { name: namespace });
    if (!found) throw internalError(new Error(`namespace ${namespace} does not exist`));
    const own = found.metadata.annotations?.[annotation];
    return parseLabels(own ?? selectors.clusterDefaultNodeSelector ?? "");
  };
  const checkAllowed = (pod: PodDraft | Pod, namespace: string): void => {
    const allowed = Object.hasOwn(selectors, namespace) ? selectors[namespace] : "";
    if (!isWithin(pod.spec.nodeSelector ?? {}, parseLabels(allowed ?? "")))
      throw refused(pod, "pod node label selector labels conflict with its namespace whitelist");
  };
  return {
    name: "PodNodeSelector",
    operations: ["CREATE"],

    async admit(attributes) {
      const pod = podOf(attributes);
      if (!pod) return;
      const { namespace } = attributes.address;
      const wanted = await wantedIn(namespace);
      checkConflict(pod, wanted);
      const merged = { ...wanted, ...pod.spec.nodeSelector };
      if (Object.keys(merged).length > 0) pod.spec.nodeSelector = merged;
      checkAllowed(pod, namespace);
    },

    async validate(attributes: Attributes) {
      if (!isPod(attributes) || attributes.subresource !== "") return;
      const { namespace } = attributes.address;
      const pod = objectOf(Pod, attributes);
      checkConflict(pod, await wantedIn(namespace));
      checkAllowed(pod, namespace);
    },
  };
}

type Labels = Readonly<Record<string, string>>;

function checkConflict(pod: PodDraft | Pod, wanted: Labels): void {
  const own: Labels = pod.spec.nodeSelector ?? {};
  const differs = (key: string) => Object.hasOwn(own, key) && own[key] !== wanted[key];
  if (Object.keys(wanted).some(differs))
    throw refused(pod, "pod node label selector conflicts with its namespace node label selector");
}

/** Whether all labels are allowed; all are if nothing is configured. */
const isWithin = (labels: Labels, allowed: Labels): boolean =>
  Object.keys(allowed).length === 0 ||
  Object.entries(labels).every(
    ([key, value]) => Object.hasOwn(allowed, key) && allowed[key] === value,
  );

const refused = ({ metadata }: PodDraft | Pod, why: string): StatusError =>
  forbidden({ group: "", resource: "pods", name: metadata.name ?? "" }, why);

/** The labels in a text such as `a=b,c=d`; upstream's error for another text has no reason. */
function parseLabels(text: string): Labels {
  const labels: Record<string, string> = {};
  if (text === "") return labels;
  for (const pair of text.split(",")) {
    const [key = "", value = "", ...more] = pair.split("=").map((part) => part.trim());
    if (!pair.includes("=") || more.length > 0)
      throw new StatusError("", `invalid selector: [${pair.split("=").join(" ")}]`);
    const problems = isQualifiedName(key);
    if (problems.length > 0)
      throw new StatusError("", `<nil>: Invalid value: ${quote(key)}: ${problems.join("; ")}`);
    const faults = isValidLabelValue(value);
    if (faults.length > 0)
      throw new StatusError("", `[${key}]: Invalid value: ${quote(value)}: ${faults.join("; ")}`);
    setMember(labels, key, value);
  }
  return labels;
}
