import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { Query } from "../request/query.ts";
import { parsePath, type RequestTarget } from "../request/request-info.ts";
import { requestAttributes } from "./attributes.ts";

const user = { name: "jane", groups: [] };
function attributesOf(method: string, url: string) {
  const [path = "", query = ""] = url.split("?");
  const target = parsePath(path) as RequestTarget;
  return requestAttributes({ method, path }, { user, target, query: new Query(query) });
}

/** Verb, resource, name, namespace. */
each<[request: string, expected: string]>([
  ["GET /api/v1/pods", "list pods"],
  ["HEAD /api/v1/pods", "list pods"],
  ["GET /api/v1/pods?watch=1", "watch pods"],
  ["GET /api/v1/pods?watch=true", "watch pods"],
  ["GET /api/v1/pods?watch=false", "list pods"],
  ["GET /api/v1/namespaces/n/pods/a", "get pods a in n"],
  ["HEAD /api/v1/namespaces/n/pods/a", "get pods a in n"],
  ["GET /api/v1/namespaces/n/pods/a?watch=1", "get pods a in n"],
  ["GET /api/v1/namespaces/n/pods/a/log", "get pods/log a in n"],
  ["GET /api/v1/namespaces/n/pods/a/proxy/b/c", "get pods/proxy a in n"],
  ["POST /api/v1/namespaces/n/pods", "create pods in n"],
  ["POST /api/v1/namespaces/n/pods/a/exec", "create pods/exec a in n"],
  ["PUT /apis/apps/v1/namespaces/n/deployments/a/scale", "update deployments/scale a in n"],
  ["PATCH /api/v1/nodes/a", "patch nodes a"],
  ["DELETE /api/v1/nodes/a", "delete nodes a"],
  ["DELETE /api/v1/namespaces/n/pods", "deletecollection pods in n"],
  [
    "DELETE /api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Da",
    "deletecollection pods in n",
  ],
  ["OPTIONS /api/v1/pods", " pods"],
  ["GET /api/v1/namespaces", "list namespaces"],
  ["GET /api/v1/namespaces/n", "get namespaces n in n"],
  ["PUT /api/v1/namespaces/n/finalize", "update namespaces/finalize n in n"],
  ["GET /api/v1/watch/pods", "watch pods"],
  ["DELETE /api/v1/watch/pods", "watch pods"],
  ["GET /api/v1/watch/namespaces/n/pods/a", "watch pods a in n"],
  ["GET /api/v1/proxy/nodes/a", "proxy nodes a"],
  ["GET /api/v1/proxy/namespaces/n/pods/a/b", "proxy pods a in n"],
  ["GET /api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Da", "list pods a in n"],
  ["GET /api/v1/namespaces/n/pods?watch=1&fieldSelector=metadata.name%3Da", "watch pods a in n"],
  ["GET /api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Da%2Cx%3Dy", "list pods a in n"],
  ["GET /api/v1/namespaces/n/pods?fieldSelector=metadata.name!%3Da", "list pods in n"],
  ["GET /api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Da%2Fb", "list pods in n"],
  ["GET /api/v1/namespaces/n/pods?fieldSelector=nonsense", "list pods in n"],
  ["GET /api/v1/watch/pods?fieldSelector=metadata.name%3Da", "watch pods"],
  ["GET /healthz", "get /healthz"],
  ["HEAD /healthz", "head /healthz"],
  ["POST /api/v1", "post /api/v1"],
  ["GET /apis/apps", "get /apis/apps"],
  ["GET /a%20b", "get /a b"],
])("requestAttributes: %s is to %s", (request, expected) => {
  const [method = "", url = ""] = request.split(" ");
  const { verb, isResource, path, resource, subresource, name, namespace } = attributesOf(
    method,
    url,
  );
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const words = [verb, what, ...(name ? [name] : []), ...(namespace ? ["in", namespace] : [])];
  expect(isResource ? words.join(" ") : `${verb} ${path}`).toEqual(expected);
});

test("requestAttributes: group, version and path are those of the request", () => {
  const attributes = attributesOf("GET", "/apis/apps/v1/deployments");
  expect(attributes).toMatchObject({
    user,
    group: "apps",
    version: "v1",
    path: "/apis/apps/v1/deployments",
  });
});

each<[request: string, expected: object]>([
  [
    "GET /api/v1/pods?labelSelector=a%3Db&fieldSelector=spec.nodeName%3Dn",
    {
      labelSelector: {
        requirements: [{ key: "a", operator: "=", values: ["b"] }],
        isPartial: false,
      },
      fieldSelector: {
        requirements: [{ field: "spec.nodeName", operator: "=", value: "n" }],
        isPartial: false,
      },
    },
  ],
  [
    "DELETE /api/v1/namespaces/n/pods?labelSelector=a!",
    { labelSelector: { requirements: [], isPartial: true }, fieldSelector: undefined },
  ],
  [
    "GET /api/v1/namespaces/n/pods/a?labelSelector=a%3Db",
    { labelSelector: undefined, fieldSelector: undefined },
  ],
  [
    "GET /api/v1/watch/pods?labelSelector=a%3Db",
    { labelSelector: undefined, fieldSelector: undefined },
  ],
])("requestAttributes: what is selected by %s", (request, expected) => {
  const [method = "", url = ""] = request.split(" ");
  const { labelSelector, fieldSelector } = attributesOf(method, url);
  expect({ labelSelector, fieldSelector }).toEqual(expected);
});
