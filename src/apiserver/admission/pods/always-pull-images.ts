import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { At } from "../../../schema/language/report.ts";
import type { ObjectDraft } from "../../objects/object.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import { rejection } from "../rejection.ts";
import { draftOf, objectOf } from "../typed-attributes.ts";
import { isPod, oldPod } from "./pod.ts";

/** Images are pulled for each pod, so that only users with credentials for an image can use it. */
export const alwaysPullImages: AdmissionPlugin = {
  name: "AlwaysPullImages",
  operations: ["CREATE", "UPDATE"],

  admit(attributes) {
    if (!usesNewImages(attributes)) return;
    const { spec } = draftOf(Pod, attributes);
    for (const { container } of containersOf(spec)) container.imagePullPolicy = "Always";
    for (const { image } of spec.volumes ?? []) if (image) image.pullPolicy = "Always";
  },

  validate(attributes) {
    if (!usesNewImages(attributes)) return;
    const { spec } = objectOf(Pod, attributes);
    const at = At.root();
    const check = (place: At, field: string, policy = "") => {
      if (policy !== "Always") place.notSupported(field, policy, ["Always"]);
    };
    for (const { container, list, index } of containersOf(spec))
      check(
        at.child("spec").child(list).index(index),
        "imagePullPolicy",
        container.imagePullPolicy,
      );
    for (const [i, { image }] of (spec.volumes ?? []).entries())
      if (image)
        check(
          at.child("spec").child("volumes").index(i).child("image"),
          "pullPolicy",
          image.pullPolicy,
        );
    const problems = at.errors.map(
      ({ field, message }) => rejection(attributes, `${field}: ${message}`).message,
    );
    // Upstream's error has no reason.
    if (problems.length > 0)
      throw new StatusError(
        "",
        problems.length === 1 ? `${problems[0]}` : `[${problems.join(", ")}]`,
      );
  },
};

const lists = ["initContainers", "containers", "ephemeralContainers"] as const;
type List = (typeof lists)[number];

function containersOf<C>(spec: { readonly [L in List]?: readonly C[] | null | undefined }) {
  return lists.flatMap((list) =>
    (spec[list] ?? []).map((container, index) => ({ container, list, index })),
  );
}

/** A new pod, or one that uses an image that it did not use before. */
function usesNewImages(attributes: Attributes | Attributes<ObjectDraft>): boolean {
  const { subresource, operation, old } = attributes;
  if (!isPod(attributes) || subresource !== "") return false;
  if (operation !== "UPDATE") return true;
  const before = oldPod(old);
  const known = new Set(
    before && containersOf(before.spec).map(({ container }) => container.image),
  );
  const now = containersOf(objectOf(Pod, attributes).spec);
  return now.some(({ container }) => !known.has(container.image));
}
