import { SubjectAccessReview } from "../../api/authorization/v1/subject-access-review.ts";
import type { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { isDecided } from "../../api/certificates/v1/request-decision.ts";
import type { QueueControllerContext } from "../../controller-runtime/reconcile/queue-controller.ts";
import { approveRequest } from "../approve-request.ts";
import {
  certificateRequestController,
  IgnorableError,
  requestOf,
} from "../certificate-request-controller.ts";
import { recognizedPurposes } from "./recognized-purposes.ts";

/** Approves requests for client certificates of kubelets whose creators may create them. */
export const csrApprovingController = certificateRequestController({
  name: "certificatesigningrequest-approving-controller",

  async handle(csr, ctx) {
    if (isDecided(csr.status)) return;
    const purposes = recognizedPurposes(csr, requestOf(csr));
    for (const { subresource, message } of purposes)
      if (await isAllowed(csr, subresource, ctx)) {
        await approveRequest(csr, message, ctx);
        return;
      }
    if (purposes.length === 0) return;
    const tried = purposes.map(({ subresource }) => subresource).join(" ");
    throw new IgnorableError(
      `recognized csr "${csr.metadata.name}" as [${tried}] but subject access review was not approved`,
    );
  },
});

/** Whether the creator of a request may create a subresource of requests. */
async function isAllowed(
  { spec }: CertificateSigningRequest,
  subresource: string,
  { client, signal }: QueueControllerContext,
): Promise<boolean> {
  const { username: user, uid, groups, extra } = spec;
  const resourceAttributes = {
    group: "certificates.k8s.io",
    resource: "certificatesigningrequests",
    verb: "create",
    subresource,
    version: "*",
  };
  const review = { spec: { user, uid, groups, extra, resourceAttributes } };
  const { status } = await client.create(SubjectAccessReview, review, { signal });
  return status.allowed;
}
