import { rbacGroup } from "../../../api/rbac/v1/role-ref.ts";
import { allow, clusterRole, read } from "./notation.ts";

const role = clusterRole("system:aggregated-metrics-reader", [
  allow(read, "pods nodes", { of: "metrics.k8s.io" }),
]);

/** Lets all who may view, edit or administer namespaces read resource metrics, as metrics-server's manifest does. */
export const metricsReader = {
  ...role,
  metadata: {
    ...role.metadata,
    labels: {
      ...role.metadata.labels,
      ...Object.fromEntries(
        ["admin", "edit", "view"].map((name) => [`${rbacGroup}/aggregate-to-${name}`, "true"]),
      ),
    },
  },
};
