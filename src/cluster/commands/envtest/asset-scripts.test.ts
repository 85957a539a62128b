import { expect, test } from "vitest";
import { assetScripts } from "./asset-scripts.ts";

const wherry = ["/usr/bin/node", "/home/jo's/wherry.js"];

test("assetScripts: programs that run Wherry", () => {
  expect(Object.fromEntries(assetScripts({ wherry }))).toEqual({
    "kube-apiserver": `#!/bin/sh\n# Written by "wherry envtest".\nexec /usr/bin/node '/home/jo'\\''s/wherry.js' apiserver "$@"\n`,
    etcd: `#!/bin/sh\n# Written by "wherry envtest".\nexec /usr/bin/node '/home/jo'\\''s/wherry.js' envtest-etcd "$@"\n`,
    kubectl: `#!/bin/sh\n# Written by "wherry envtest".\nexec /usr/bin/node '/home/jo'\\''s/wherry.js' kubectl "$@"\n`,
  });
});

test("assetScripts: with controllers", () => {
  const scripts = assetScripts({
    wherry,
    controllers: ["*", "-job-controller"],
  });
  expect(scripts.get("kube-apiserver")).toContain(
    `server '--controllers=*,-job-controller' --nodes=0 --authorization-mode=Node "$@"`,
  );
});
