// Webhooks that do all that webhooks should not, as a program: node webhook-program.mjs CERT KEY OTHER-CERT OTHER-KEY
// prints the ports of two servers, of which the second one has a certificate that nobody trusts.
import { readFileSync } from "node:fs";
import { createServer } from "node:https";

const [cert, key, otherCert, otherKey] = process.argv.slice(2).map((path) => readFileSync(path));

/** @type {Readonly<Record<string, readonly object[]>>} */
const patches = {
  "/on": [{ op: "add", path: "/data/turn", value: "on" }],
  "/off": [{ op: "add", path: "/data/turn", value: "off" }],
  "/invalid": [{ op: "remove", path: "/data/none" }],
};

/**
 * @param {import("node:https").ServerOptions} tls
 * @returns {Promise<number>}
 */
const listen = (tls) => {
  const server = createServer(tls, (request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const { pathname } = new URL(request.url ?? "", "https://webhook");
      if (pathname === "/slow") return;
      if (pathname === "/die") process.exit(1);
      if (pathname === "/huge") {
        endless(response);
        return;
      }
      const { apiVersion, kind, request: reviewed } = JSON.parse(text);
      const patch = patches[pathname];
      const patched = patch && {
        patchType: "JSONPatch",
        patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
      };
      response.end(
        JSON.stringify({
          apiVersion,
          kind,
          response: { uid: reviewed.uid, allowed: true, ...patched },
        }),
      );
    });
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(address !== null && typeof address === "object" ? address.port : 0);
    }),
  );
};

/**
 * A response without an end.
 * @param {import("node:http").ServerResponse} response
 */
function endless(response) {
  const piece = Buffer.alloc(1 << 16, "x");
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on("drain", more);
  more();
}

const ports = [await listen({ cert, key }), await listen({ cert: otherCert, key: otherKey })];
process.stdout.write(`${ports.join(" ")}\n`);
