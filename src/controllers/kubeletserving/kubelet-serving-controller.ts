import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { isDecided } from "../../api/certificates/v1/request-decision.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { approveRequest } from "../approve-request.ts";
import { requestOf } from "../certificate-request-controller.ts";
import { servedNode, servingRequestFault } from "./serving-request-fault.ts";

const message =
  "Auto approving kubelet serving certificate: its names and addresses are those of the node.";

const addressesOf = ({ status }: Node) => status.addresses ?? [];

/**
 * Approves requests of nodes for serving certificates with their own names and addresses. Upstream has no
 * such controller: there, people or programs of others approve these requests.
 */
export const kubeletServingController = controller({
  name: "kubelet-serving-approving-controller",
  for: CertificateSigningRequest,
  predicates: [({ type, object }) => type !== "deleted" && servedNode(object) !== undefined],
  watches: [
    {
      kind: Node,
      // The addresses of a node may become known after its request.
      predicates: [
        (event) =>
          event.type === "added" ||
          (event.type === "updated" &&
            !sameJson(addressesOf(event.object), addressesOf(event.old))),
      ],
      mapKey: () => undefined,
      async map({ metadata }, { cache }) {
        const requests = await cache.list(CertificateSigningRequest);
        return requests
          .filter((csr) => servedNode(csr) === metadata.name && !isDecided(csr.status))
          .map(keyOf);
      },
    },
  ],

  async reconcile(key, { cache, client, log, signal }) {
    const csr = await cache.get(CertificateSigningRequest, key);
    if (!csr || servedNode(csr) === undefined || isDecided(csr.status)) return;
    const fault = servingRequestFault(csr, requestOf(csr), await cache.list(Node));
    if (fault === undefined) await approveRequest(csr, message, { client, signal });
    else log.info("serving certificate not approved", { csr: key.name, reason: fault });
  },
});
