import { Namespace } from "../../../api/core/v1/namespace.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { podQosClass, type QosPod } from "../../../api/core/v1/pod/pod-qos.ts";
import { Toleration, validateTolerations } from "../../../api/core/v1/scheduling/toleration.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { DecodeError, decodeNode } from "../../../schema/json/decode.ts";
import { JsonSyntaxError, parseJson } from "../../../schema/json/strict-json.ts";
import { At } from "../../../schema/language/report.ts";
import { notFoundAt } from "../../objects/address.ts";
import type { ObjectDraft } from "../../objects/object.ts";
import { addressOf, type Reader } from "../../objects/reader.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import { draftOf, objectOf } from "../typed-attributes.ts";
import { areWithin, mergeTolerations } from "./merge-tolerations.ts";
import { isPod } from "./pod.ts";

const prefix = "scheduler.alpha.kubernetes.io/";
const memoryPressure: Toleration = {
  key: "node.kubernetes.io/memory-pressure",
  operator: "Exists",
  effect: "NoSchedule",
};

export interface PodTolerationRestrictionSetup {
  readonly reader: Reader;
  /** The defaults for namespaces without annotations. */
  readonly configuration?:
    | { readonly default?: readonly Toleration[]; readonly whitelist?: readonly Toleration[] }
    | undefined;
}

/** Pods get the default tolerations of their namespace, and may have only those that it allows. */
export function podTolerationRestriction({
  reader,
  configuration = {},
}: PodTolerationRestrictionSetup): AdmissionPlugin {
  checkConfiguration(configuration);
  const tolerationsOf = async (namespace: string, what: string) => {
    if (!reader.serves(Namespace)) return undefined;
    const found = await reader.get(Namespace, { name: namespace });
    if (!found) throw notFoundAt(addressOf(Namespace, { name: namespace }));
    return parseTolerations(found.metadata.annotations?.[prefix + what]);
  };
  const check = async (attributes: Attributes | Attributes<ObjectDraft>): Promise<void> => {
    const { tolerations = [] } = objectOf(Pod, attributes).spec;
    if (tolerations.length === 0) return;
    const own = await tolerationsOf(attributes.address.namespace, "tolerationsWhitelist");
    const allowed = own ?? configuration.whitelist ?? [];
    // Upstream's error has no reason.
    if (allowed.length > 0 && !areWithin(tolerations, allowed))
      throw new StatusError(
        "",
        `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${own ? "namespace" : "cluster"} whitelist`,
      );
  };
  return {
    name: "PodTolerationRestriction",
    operations: ["CREATE", "UPDATE"],

    async admit(attributes) {
      if (!isWhole(attributes)) return;
      const pod = draftOf(Pod, attributes);
      const more: Toleration[] = [];
      if (attributes.operation === "CREATE") {
        const own = await tolerationsOf(attributes.address.namespace, "defaultTolerations");
        more.push(...(own ?? configuration.default ?? []));
      }
      if (podQosClass(pod as QosPod) !== "BestEffort") more.push(memoryPressure);
      const { spec } = pod;
      if (more.length > 0)
        spec.tolerations = mergeTolerations(spec.tolerations ?? [], more).map((toleration) => ({
          ...toleration,
        })) as typeof spec.tolerations;
      await check(attributes);
    },

    async validate(attributes) {
      if (isWhole(attributes)) await check(attributes);
    },
  };
}

const isWhole = (attributes: Attributes | Attributes<ObjectDraft>): boolean =>
  isPod(attributes) && attributes.subresource === "";

/** The tolerations in an annotation; undefined if it is absent, which differs from an empty list. */
function parseTolerations(text: string | undefined): readonly Toleration[] | undefined {
  if (text === undefined) return undefined;
  if (text === "") return [];
  try {
    const node = parseJson(text);
    if (node.kind === "null") return [];
    if (node.kind !== "array") throw new DecodeError(notAList(node.kind));
    return node.items.map((item) => decodeNode(Toleration, item).value as Toleration);
  } catch (error) {
    // Upstream's error has no reason.
    if (error instanceof JsonSyntaxError || error instanceof DecodeError)
      throw new StatusError("", error.message);
    throw error;
  }
}

const notAList = (kind: string): string =>
  `json: cannot unmarshal ${kind === "boolean" ? "bool" : kind} into Go value of type []v1.Toleration`;

function checkConfiguration({
  default: standard = [],
  whitelist = [],
}: {
  readonly default?: readonly Toleration[];
  readonly whitelist?: readonly Toleration[];
}): void {
  const at = At.root();
  validateTolerations(standard, at.child("podtolerationrestriction").child("default"));
  validateTolerations(whitelist, at.child("podtolerationrestriction").child("whitelist"));
  if (at.errors.length === 0) return;
  const all = at.errors.map(({ field, message }) => `${field}: ${message}`);
  throw new Error(`invalid config: [${all.join(" ")}]`);
}
