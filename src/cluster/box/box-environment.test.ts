import { expect, test } from "vitest";
import { boxEnvironment } from "./box-environment.ts";

test("boxEnvironment: a box gets no folders of the machine's user", () => {
  const env = {
    ...{ PATH: "/usr/bin", HTTPS_PROXY: "http://proxy:3128", HOME: "/home/ann" },
    ...{ TMPDIR: "/home/ann/tmp", XDG_DATA_HOME: "/home/ann/data", KUBECONFIG: "/home/ann/config" },
  };
  expect(boxEnvironment(env)).toEqual({
    ...{ PATH: "/usr/bin", HTTPS_PROXY: "http://proxy:3128", HOME: "/root" },
  });
});
