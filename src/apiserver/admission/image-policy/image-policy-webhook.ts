import { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { Clock } from "../../../base/clock.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { ExpiringMap } from "../../../base/expiring-map.ts";
import type { Log } from "../../../base/log.ts";
import { decodeNode } from "../../../schema/json/decode.ts";
import { bool, string, stringMap } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { memberOf, returnedReview } from "../../connect/webhooks/returned-review.ts";
import type { ReviewServer, ReviewWebhook } from "../../connect/webhooks/review-webhook.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import { annotate } from "../annotate.ts";
import { rejection } from "../rejection.ts";
import { objectOf } from "../typed-attributes.ts";
import { type ImagePolicyConfiguration, imagePolicySettings } from "./configuration.ts";

export interface ImagePolicySetup {
  readonly configuration: ImagePolicyConfiguration | undefined;
  readonly environment: { readonly clock: Clock; readonly log: Log };
  /** Opens a webhook, which the server closes. */
  readonly openReviews: (
    server: ReviewServer,
    options: { readonly retryMs: number },
  ) => Pick<ReviewWebhook, "post">;
}

const ImageReviewStatus = struct("io.k8s.api.imagepolicy.v1alpha1.ImageReviewStatus", {
  allowed: bool(1).doc("Whether all images are allowed."),
  reason: string(2).doc("Why not."),
  auditAnnotations: stringMap(3).doc("Annotations for the audit log."),
}).doc("Whether images are allowed.");
interface ImageReviewStatus extends Infer<typeof ImageReviewStatus> {}

const group = "imagepolicy.k8s.io";
const version = "v1alpha1";
const auditPrefix = "imagepolicywebhook.image-policy.k8s.io/";
const capacity = 1024;

/** Admits pods whose images another server allows. */
export function imagePolicyWebhook({
  configuration,
  environment: { clock, log },
  openReviews,
}: ImagePolicySetup): AdmissionPlugin {
  if (!configuration) throw new Error("no config specified");
  const { retryMs, allowTtlMs, denyTtlMs, defaultAllow } = imagePolicySettings(configuration);
  const reviews = openReviews(configuration.server, { retryMs });
  const known = new ExpiringMap<string, ImageReviewStatus>({ clock, capacity });
  const ask = async (key: string, spec: object): Promise<ImageReviewStatus> => {
    const status = await review(spec, reviews);
    known.set(key, status, status.allowed ? allowTtlMs : denyTtlMs);
    return status;
  };
  return {
    name: "ImagePolicyWebhook",
    operations: ["CREATE", "UPDATE"],
    resources: ["/pods", "/pods/ephemeralcontainers"],
    async validate(attributes) {
      const { context } = attributes;
      const spec = reviewSpec(attributes);
      const key = JSON.stringify(spec);
      let status: ImageReviewStatus;
      try {
        status = known.get(key) ?? (await ask(key, spec));
      } catch (error) {
        if (!defaultAllow) throw rejection(attributes, errorMessage(error));
        log.warn("pod admitted although the image policy webhook failed", {
          error: errorMessage(error),
        });
        annotate(context, `${auditPrefix}failed-open`, "true");
        return;
      }
      for (const [name, value] of Object.entries(status.auditAnnotations ?? {}))
        annotate(context, auditPrefix + name, value);
      if (!status.allowed) throw rejection(attributes, whyRejected(status));
    },
  };
}

const whyRejected = ({ reason = "" }: ImageReviewStatus): string =>
  reason === ""
    ? "one or more images rejected by webhook backend"
    : `image policy webhook backend denied one or more images: ${reason}`;

/** The images of a pod, or those that are added to a running one, and the annotations that are for the webhook. */
function reviewSpec(attributes: Attributes): object {
  const { subresource, address } = attributes;
  const { metadata, spec } = objectOf(Pod, attributes);
  const containers =
    subresource === ""
      ? [...spec.containers, ...(spec.initContainers ?? [])]
      : (spec.ephemeralContainers ?? []);
  const annotations = Object.entries(metadata.annotations ?? {})
    .filter(([name]) => name.includes(".image-policy.k8s.io/"))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...(containers.length > 0 && {
      containers: containers.map(({ image = "" }) => (image === "" ? {} : { image })),
    }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    namespace: address.namespace,
  };
}

async function review(
  spec: object,
  reviews: Pick<ReviewWebhook, "post">,
): Promise<ImageReviewStatus> {
  const kind = "ImageReview";
  const body = {
    kind,
    apiVersion: `${group}/${version}`,
    metadata: {},
    spec,
    status: { allowed: false },
  };
  const { node } = returnedReview(await reviews.post(`${JSON.stringify(body)}\n`), {
    group,
    version,
    kind,
  });
  const status = memberOf(node, "status");
  return status ? (decodeNode(ImageReviewStatus, status).value as ImageReviewStatus) : {};
}
